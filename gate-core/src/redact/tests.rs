use super::{MARK, redact};

/// `…` in a case stands for the mark in the result.
fn hides(text: &str, expected: &str) {
    let expected = expected.replace('…', MARK);
    assert_eq!(redact(text), expected, "{text}");
    assert_eq!(redact(&expected), expected, "twice is once: {text}");
}

#[test]
fn names_with_values() {
    for (text, expected) in [
        ("TOKEN=abc ls", "TOKEN=… ls"),
        ("export API_KEY='a b c'; ls", "export API_KEY='…'; ls"),
        ("DB_PASSWORD=\"x;y\" run", "DB_PASSWORD=\"…\" run"),
        ("curl 'https://h/p?access_token=abc&page=2'", "curl 'https://h/p?access_token=…&page=2'"),
        ("{\"token\": \"abc\", \"page\": 2}", "{\"token\": \"…\", \"page\": 2}"),
        ("{\\\"api_key\\\":\\\"abc\\\"}", "{\\\"api_key\\\":\\\"…\\\"}"),
        ("password: hunter2\nuser: bob", "password: …\nuser: bob"),
        ("client_secret = hunter2", "client_secret = …"),
        ("aws configure set aws_secret_access_key abc/def", "aws configure set aws_secret_access_key …"),
        ("//registry.test/:_authToken=abc", "//registry.test/:_authToken=…"),
    ] {
        hides(text, expected);
    }
}

#[test]
fn options() {
    for (text, expected) in [
        ("x --password hunter2 y", "x --password … y"),
        ("x --password=hunter2 y", "x --password=… y"),
        ("x --api-key 'a b' y", "x --api-key '…' y"),
        ("mysql -u root -phunter2 db", "mysql -u root -p… db"),
        ("sudo /usr/bin/mysqldump -p'hun ter' db", "sudo /usr/bin/mysqldump -p'…' db"),
        ("sshpass -p hunter2 ssh h", "sshpass -p … ssh h"),
        ("docker login -u me -p hunter2 r.test", "docker login -u me -p … r.test"),
        ("curl -u me:hunter2 https://h", "curl -u me:… https://h"),
        ("curl --user me:hunter2 https://h", "curl --user me:… https://h"),
        ("redis-cli -a hunter2 ping", "redis-cli -a … ping"),
        ("openssl rsa -passin pass:hunter2", "openssl rsa -passin pass:…"),
    ] {
        hides(text, expected);
    }
}

#[test]
fn headers() {
    for (text, expected) in [
        ("curl -H 'Authorization: Bearer abc.def' h", "curl -H 'Authorization: Bearer …' h"),
        ("curl -H \"Authorization: Basic dTpw\" h", "curl -H \"Authorization: Basic …\" h"),
        ("curl -H 'X-Api-Key: abc' h", "curl -H 'X-Api-Key: …' h"),
        ("curl -H 'Cookie: a=1; b=2' h", "curl -H 'Cookie: …' h"),
        ("{\"Authorization\": \"Bearer abc\"}", "{\"Authorization\": \"Bearer …\"}"),
        ("echo Bearer abcdef", "echo Bearer …"),
    ] {
        hides(text, expected);
    }
}

#[test]
fn tokens_urls_and_keys() {
    for (text, expected) in [
        ("echo AKIAIOSFODNN7EXAMPLE", "echo …"),
        ("echo ghp_0123456789abcdef x", "echo … x"),
        ("echo sk-ant-api03-abcdefgh", "echo …"),
        ("echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def", "echo …"),
        ("git clone https://me:hunter2@h.test/r.git", "git clone https://…@h.test/r.git"),
        ("psql postgres://me:hun/ter@h/db", "psql postgres://…@h/db"),
        ("git clone https://0123456789abcdef01234567@h.test/r", "git clone https://…@h.test/r"),
        (
            "cat <<E\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nE",
            "cat <<E\n-----BEGIN RSA PRIVATE KEY-----…-----END RSA PRIVATE KEY-----\nE",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "-----BEGIN OPENSSH PRIVATE KEY-----…"),
    ] {
        hides(text, expected);
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "git log --author=me --oneline",
        "curl -H \"Authorization: Bearer $TOKEN\" h",
        "TOKEN=$(cat x) ls",
        "mysql -u root -p db",
        "mysql --password=$PW db",
        "docker run -p 80:80 x",
        "ssh -i ~/.ssh/id_rsa h",
        "x --key ~/.ssh/id_rsa --key-file a.pem",
        "gh repo create --private name",
        "docker login --password-stdin",
        "git clone ssh://git@h.test/r",
        "curl http://h.test:8080/a@b",
        "max_tokens=4000",
        "this reads a secret: .env",
        "pip install sk-learn pypi-publish",
        "git checkout task-12345678",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "npm_config_registry",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn any_text_is_taken() {
    for piece in
        ["\"", "'", "\\", "\\\"", "token", "=", ":", "://", "@", " ", "\n", "é", "-----BEGIN PRIVATE KEY-----", "pass:", "Bearer", "sk-"]
    {
        for other in ["\"", "=", ":", "token", "é", "@", "\\", "--password", "authorization:", "mysql -p"] {
            let text = format!("{piece}{other}{piece} {other}{piece}{other}");
            let once = redact(&text).into_owned();
            assert!(once.len() <= text.len() + 64 * MARK.len());
        }
    }
    let long = "token=a ".repeat(20_000);
    assert!(!redact(&long).contains("=a"));
    // Linear, whatever is repeated.
    let begun = std::time::Instant::now();
    for piece in ["authorization: ", "token='", "://", "a:b@", "-----BEGIN ", "\\\"token", "sk-", "mysql -p "] {
        let _ = redact(&piece.repeat(50_000));
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}
