//! Commands of a person, through the program.
