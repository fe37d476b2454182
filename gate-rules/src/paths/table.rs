use gate_core::Place;
pub(crate) struct Rule {
    pub id: &'static str,
    pub place: Place,
    pub why: &'static str,
    pub hard: Option<&'static str>,
    pub paths: &'static [&'static [&'static str]],
    pub except: &'static [&'static str],
}
pub(crate) static RULES: &[Rule] = &[];
