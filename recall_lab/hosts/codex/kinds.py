"""The kinds of record that a rollout holds; anything else is unknown.

After ``ResponseItem``, ``EventMsg`` and ``RolloutItem`` of Codex's protocol, early and late.
"""

from __future__ import annotations


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


CALLS = _set("function_call custom_tool_call local_shell_call web_search_call tool_search_call image_generation_call")
OUTPUTS = _set("function_call_output custom_tool_call_output tool_search_output local_shell_call_output")
SEALED_ITEMS = _set("reasoning compaction compaction_summary context_compaction")
ITEMS = CALLS | OUTPUTS | SEALED_ITEMS
ITEMS |= _set("message agent_message additional_tools ghost_snapshot compaction_trigger configuration_update other")

SEALED_EVENTS = _set(
    """
    agent_reasoning agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_raw_content_delta
    agent_reasoning_section_break reasoning_content_delta reasoning_raw_content_delta
    """
)
# They tell again, or in other words, what a response item tells.
REPEATING_EVENTS = _set(
    """
    agent_message_content_delta agent_message_delta dynamic_tool_call_response exec_command_end
    exec_command_output_delta image_generation_end mcp_tool_call_end patch_apply_end raw_response_item
    view_image_tool_call web_search_end
    """
)
# They tell how a call ended.
ENDINGS = _set("exec_command_end patch_apply_end mcp_tool_call_end")
EVENTS = SEALED_EVENTS | REPEATING_EVENTS
EVENTS |= _set(
    """
    user_message agent_message token_count item_started item_completed
    task_started turn_started task_complete turn_complete turn_aborted turn_diff
    context_compacted thread_rolled_back thread_name_updated thread_settings_applied thread_goal_updated
    error warning stream_error background_event deprecation_notice model_reroute model_verification guardian_warning
    session_configured shutdown_complete conversation_path get_history_entry_response
    patch_apply_begin patch_apply_updated mcp_tool_call_begin web_search_begin exec_command_begin terminal_interaction
    image_generation_begin dynamic_tool_call_request plan_update plan_delta
    exec_approval_request apply_patch_approval_request request_user_input request_permissions elicitation_request
    guardian_assessment hook_started hook_completed
    entered_review_mode exited_review_mode undo_started undo_completed
    mcp_startup_update mcp_startup_complete mcp_list_tools_response list_custom_prompts_response list_skills_response
    skills_update_available remote_skill_downloaded list_remote_skills_response
    sub_agent_activity collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin
    collab_agent_interaction_end collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end
    collab_resume_begin collab_resume_end
    realtime_conversation_started realtime_conversation_realtime realtime_conversation_closed realtime_conversation_sdp
    """
)
OTHERS = _set(
    """
    session_meta turn_context compacted world_state token_usage_record inter_agent_communication
    inter_agent_communication_metadata retained_context security_risk_score realtime_item
    """
)
