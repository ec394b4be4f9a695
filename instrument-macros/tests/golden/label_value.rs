#[derive(LabelValue)]
pub enum Tier {
    Free,
    r#type,
    #[label("paid & gold")]
    Paid,
}

#[derive(LabelValue)]
#[label(crate = ::renamed)]
enum Only {
    One,
}

#[derive(LabelValue)]
enum Wrong {
    #[label("")]
    Empty,
    WithFields(u8),
}
