//! Guest control flow.
