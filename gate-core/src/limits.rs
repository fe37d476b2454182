//! Every bound of the deciding path, in one place. Each is tested at the limit and one past it.

/// Largest call in bytes of its serialised input. One more is denied.
pub const CALL_BYTES: usize = 4 * 1024 * 1024;
/// Largest command in bytes that is analysed. One more is not understood.
pub const COMMAND_BYTES: usize = 64 * 1024;
/// Most units of one script; past it the script is not understood.
pub const UNITS: usize = 2_000;
/// Most decoded words, redirects and assignments over all units of one script; past it the script is not understood.
pub const WORDS: usize = 10_000;
/// Most files that one call of a file tool may name; what else it names counts as the worst.
pub const TOOL_PATHS: usize = 1_000;
/// Most words with patterns of one call that are compared with lists of paths; further ones count as the worst.
pub const PATTERN_WORDS: usize = 1_000;
/// Longest path in bytes of which is said where it is; of a longer one it is not known.
pub const PATH_BYTES: usize = 4_096;
/// Longest path in bytes that `cd` is followed to; behind a longer one the directory is not known.
pub const CWD_BYTES: usize = 1_024;
/// Longest value of a variable in bytes that is followed into the words that use it; a longer one is not known.
pub const FOLLOWED_VALUE: usize = 4_096;
/// Most bytes of followed values over all words of one script; past it values are not known.
pub const FOLLOWED_BYTES: usize = 256 * 1024;
/// Most values that the loops of one script are gone through with, together; a loop past it has an unknown variable.
pub const LOOP_ROUNDS: usize = 128;
/// Most nodes of syntax trees that are visited for one script, those of loops each time round; past it the script is
/// not understood.
pub const STEPS: usize = 100_000;
/// Deepest syntax tree that is walked.
pub const DEPTH: usize = 200;
/// How often a literal script inside a script (`bash -c`, `eval`) is parsed again.
pub const NESTED_SCRIPTS: usize = 8;
/// Time budget of one parse, in milliseconds.
pub const PARSE_MS: u64 = 50;
/// Largest command in bytes that the second parser sees.
pub const SECOND_PARSER_BYTES: usize = 16 * 1024;
/// Longest pattern in UTF-16 units.
pub const PATTERN_UTF16: usize = 4_096;
/// Longest argument in UTF-16 units that an allow pattern is matched against.
pub const ARGUMENT_UTF16: usize = 1_048_576;
/// Time budget of one deterministic decision, in milliseconds; then deny.
pub const DECISION_MS: u64 = 5_000;
/// Time budget of everything that only hears a decision (log, observers), in milliseconds.
pub const OBSERVE_MS: u64 = 50;
/// Time budget of the model stage as a whole, in milliseconds; its requests have their own, shorter ones.
pub const MODEL_MS: u64 = 600_000;
