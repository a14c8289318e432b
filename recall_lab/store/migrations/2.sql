-- The remote of a folder, and the sessions of which only the folder is known, are found by one look-up.
DROP INDEX source_sessions_by_folder;
CREATE INDEX source_sessions_by_folder
    ON source_sessions (json_extract(facts, '$.cwd'), json_extract(facts, '$.repo'));
