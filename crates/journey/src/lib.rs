//! Nothing to be used: the tests of this crate follow one wish of somebody through the services that have a part in it,
//! which run here side by side as they do in a house.
