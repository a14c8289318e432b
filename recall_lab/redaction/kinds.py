"""One vocabulary of kinds, and which kind a rule finds."""

from __future__ import annotations

import re
from functools import lru_cache

from recall_lab.redaction.vocabulary import word_set

#: Every kind that a finding can carry, user rules apart.
KINDS = word_set(
    """
    access_key access_token ai_key anthropic_key api_key aws_key azure_key basic_auth bearer_token chat_token
    client_secret cloud_key connection_string cookie database_key email generic_secret github_token gitlab_token
    google_key ip_address jwt kubernetes_secret mail_key oauth_token openai_key password payment_key phone
    private_key registry_token seed_phrase slack_token stripe_key url_credentials webhook
    """
)

# What a rule of the bundled detector is called tells its kind; the first that fits wins.
_BY_NAME = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"private-key|age-secret|service-account$", "private_key"),
        (r"webhook", "webhook"),
        (r"jwt", "jwt"),
        (r"connection-string", "connection_string"),
        (r"credential-uri|curl-auth-user|credentials$|sensitive-url", "url_credentials"),
        (r"aws", "aws_key"),
        (r"github", "github_token"),
        (r"gitlab", "gitlab_token"),
        (r"openai", "openai_key"),
        (r"anthropic", "anthropic_key"),
        (r"slack", "slack_token"),
        (r"stripe", "stripe_key"),
        (r"gcp|google", "google_key"),
        (r"azure", "azure_key"),
        (r"npm|pypi|rubygems|crates|clojars|packagist|nuget|dockerhub|artifactory", "registry_token"),
        (r"telegram|discord|twilio|mattermost", "chat_token"),
        (r"sendgrid|mailgun|mailchimp|sendinblue|resend|postmark|mailersend", "mail_key"),
        (
            r"square|paypal|plaid|shopify|flutterwave|xendit|midtrans|paddle|razorpay|checkout|gocardless|finicity",
            "payment_key",
        ),
        (
            r"digitalocean|heroku|cloudflare|vercel|netlify|fly|render|alibaba|yandex|scaleway|ibm|ovh|vultr|civo",
            "cloud_key",
        ),
        (r"planetscale|supabase|neon|mongodb|databricks|snowflake|astra|redis|clickhouse|cockroach", "database_key"),
        (
            r"openrouter|groq|cohere|mistral|perplexity|huggingface|replicate|deepseek|kimi|nvidia|cerebras|xai|together",
            "ai_key",
        ),
        (r"cookie", "cookie"),
        (r"password|passphrase", "password"),
        (r"curl-auth-header|bearer", "bearer_token"),
        (r"client-secret|consumer-secret|app-secret|shared-secret", "client_secret"),
        (r"oauth|refresh-token", "oauth_token"),
        (r"token", "access_token"),
    )
)

# A kind that names the secret's shape or issuer says more than one that only names the word beside it.
_VAGUE = {
    "generic_secret": 0,
    "password": 1,
    "access_token": 1,
    "access_key": 1,
    "api_key": 1,
    "client_secret": 1,
    "bearer_token": 1,
}


@lru_cache(maxsize=2048)
def kind_of_rule(rule: str) -> str:
    """The kind that a bundled rule's findings carry."""
    for pattern, kind in _BY_NAME:
        if pattern.search(rule):
            return kind
    return "api_key"


def precision_of(kind: str) -> int:
    """How much a kind says: of overlapping findings the one with the most names the span."""
    return _VAGUE.get(kind, 2)
