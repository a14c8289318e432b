"""One vocabulary of kinds, and which rule finds which kind."""

from __future__ import annotations

import re
from functools import cache

#: Rule names that say what a finding is; the first that fits wins.
_BY_NAME: tuple[tuple[str, str], ...] = (
    (r"private-key|age-secret|gcp-service-account", "private_key"),
    (r"webhook", "webhook"),
    (r"jwt", "jwt"),
    (r"connection-string", "connection_string"),
    (r"credential-uri|curl-auth-user|credentials$", "url_credentials"),
    (r"aws|yandex-aws", "aws_key"),
    (r"github", "github_token"),
    (r"gitlab", "gitlab_token"),
    (r"openai", "openai_key"),
    (r"anthropic", "anthropic_key"),
    (r"slack", "slack_token"),
    (r"stripe", "stripe_key"),
    (r"gcp|google", "google_key"),
    (r"azure", "azure_key"),
    (r"npm|pypi|rubygems|crates|clojars|packagist|nuget", "registry_token"),
    (r"cookie", "cookie"),
    (r"password|passphrase", "password"),
    (r"curl-auth-header|bearer", "bearer_token"),
    (r"oauth|access-token|refresh-token|session-token", "oauth_token"),
)


@cache
def kind_of_rule(rule: str) -> str:
    """The kind that a rule's findings carry."""
    for pattern, kind in _BY_NAME:
        if re.search(pattern, rule):
            return kind
    return "api_key"
