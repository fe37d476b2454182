//! What secrets are called and how they begin.

/// Beginnings of tokens, with the fewest characters that must follow.
pub(super) const HEADS: &[(&str, usize)] = &[
    ("sk-", 8),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("whsec_", 8),
    ("ghp_", 8),
    ("gho_", 8),
    ("ghs_", 8),
    ("ghu_", 8),
    ("ghr_", 8),
    ("github_pat_", 8),
    ("glpat-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxa-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 16),
    ("eyJ", 16),
    ("ya29", 8),
    ("npm_", 20),
    ("pypi-", 16),
    ("hf_", 16),
    ("gsk_", 16),
    ("xai-", 16),
    ("dop_v1_", 8),
    ("dckr_pat_", 8),
    ("shpat_", 8),
    ("lin_api_", 8),
    ("tskey-", 8),
    ("AGE-SECRET-KEY-", 8),
];

/// Words in names of secrets.
const NAMES: &[&str] = &[
    "TOKEN",
    "KEY",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "PRIVATE",
    "AUTH_",
    "_AUTH",
    "_PAT",
    "APIKEY",
    "DSN",
    "DATABASE_URL",
    "CONNECTION_STRING",
];

/// Does the name look like that of a secret?
#[must_use]
pub fn secret_name(name: &str) -> bool {
    let n = name.to_ascii_uppercase();
    NAMES.iter().any(|s| n.contains(s)) && !matches!(n.as_str(), "KEYS" | "KEYMAP" | "KEYBOARD" | "PASSED" | "KEYWORD" | "KEYWORDS")
}

/// Endings of names that speak of a secret and hold none.
pub(super) const ABOUT: &[&str] = &[
    "NAME",
    "TYPE",
    "FILE",
    "PATH",
    "DIR",
    "RING",
    "STDIN",
    "SIZE",
    "LENGTH",
    "FORMAT",
    "SERVER",
    "FINGERPRINT",
    "HELPER",
    "COUNT",
    "PASSTHROUGH",
    "BYPASS",
    "PASSIN",
    "PASSOUT",
];

/// Header fields whose whole value is secret.
pub(super) const HEADERS: &[&str] = &["AUTHORIZATION", "PROXY_AUTHORIZATION", "COOKIE", "SET_COOKIE"];

/// Words that may stand before the secret of an `Authorization` field.
pub(super) const SCHEMES: &[&str] = &["bearer", "basic", "token", "digest", "negotiate", "apikey"];

/// Where a short option keeps the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In the same word only: the next word is something else.
    Glued,
    /// In the same word or the next.
    Either,
}

/// A program's short option that holds a secret.
pub(super) struct Short {
    /// Names of programs.
    pub programs: &'static [&'static str],
    /// The option.
    pub option: &'static str,
    /// Where its value is.
    pub form: Form,
    /// What divides a user's name from the secret in the value.
    pub after: Option<char>,
    /// Only when this subcommand was named.
    pub only: Option<&'static str>,
}

const fn short(programs: &'static [&'static str], option: &'static str, form: Form) -> Short {
    Short { programs, option, form, after: None, only: None }
}

/// Every such option.
pub(super) const SHORTS: &[Short] = &[
    short(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mysqlcheck",
            "mysqlslap",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        "-p",
        Form::Glued,
    ),
    short(&["7z", "7za", "7zz", "rar", "unrar"], "-p", Form::Glued),
    short(&["sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "twine"], "-p", Form::Either),
    short(&["redis-cli"], "-a", Form::Either),
    short(&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"], "-w", Form::Either),
    short(&["zip", "unzip", "sqlcmd", "bcp", "isql"], "-P", Form::Either),
    Short { programs: &["docker", "podman", "az", "helm", "oc"], option: "-p", form: Form::Either, after: None, only: Some("login") },
    Short { programs: &["curl", "http", "https"], option: "-u", form: Form::Either, after: Some(':'), only: None },
    Short { programs: &["curl"], option: "--user", form: Form::Either, after: Some(':'), only: None },
    Short { programs: &["curl"], option: "--proxy-user", form: Form::Either, after: Some(':'), only: None },
    Short { programs: &["smbclient", "rpcclient"], option: "-U", form: Form::Either, after: Some('%'), only: None },
];
