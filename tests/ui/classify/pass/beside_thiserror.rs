//! Both derives read `#[source]` and `#[from]`.

use instrument_inference::{Classify, ErrorType};

#[derive(Debug, thiserror::Error, Classify)]
enum Before {
    #[error("not an image")]
    #[classify(invalid_input)]
    NotAnImage,
    #[error(transparent)]
    #[classify(source)]
    Io(#[from] std::io::Error),
}

#[derive(Debug, Classify, thiserror::Error)]
enum After {
    #[error("could not load {name}")]
    #[classify(source)]
    Load { name: String, source: Before },
    #[error("{place}: {cause}")]
    #[classify(source)]
    At {
        place: String,
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("no room")]
    #[classify(resource_exhausted)]
    NoRoom(#[source] Option<Before>),
}

// Without `thiserror` the marks have no other owner.
#[derive(Classify)]
#[classify(source)]
struct Alone(u8, #[source] Before);

fn main() {
    let gone = || Before::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
    assert_eq!(gone().error_type(), ErrorType::Unavailable);
    let name = String::new;
    let load = After::Load { name: name(), source: Before::NotAnImage };
    assert_eq!(load.error_type(), ErrorType::InvalidInput);
    let at = After::At { place: name(), cause: "CUDA out of memory".into() };
    assert_eq!(at.error_type(), ErrorType::CudaOom);
    assert_eq!(After::NoRoom(None).error_type(), ErrorType::ResourceExhausted);
    assert_eq!(Alone(0, gone()).error_type(), ErrorType::Unavailable);
}
