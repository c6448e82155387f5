//! Whole shader programs as text.
