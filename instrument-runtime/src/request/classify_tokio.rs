//! Errors of `tokio`.

use crate::vocab::classify::Classify;
use crate::vocab::error_type::ErrorType;
use tokio::time::error::Elapsed;

/// `tokio::time::timeout` around one's own work is a deadline. Where the feature that brings this is off, and inside a
/// chain of sources, its text says the same.
#[diagnostic::do_not_recommend]
impl Classify for Elapsed {
    fn error_type(&self) -> ErrorType {
        ErrorType::DeadlineExceeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::classify::chain;

    #[test]
    fn an_elapsed_time_is_a_deadline() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let elapsed = runtime
            .block_on(async {
                tokio::time::timeout(std::time::Duration::ZERO, std::future::pending::<()>()).await
            })
            .unwrap_err();
        assert_eq!(elapsed.error_type(), ErrorType::DeadlineExceeded);
        assert_eq!(chain(&elapsed), ErrorType::DeadlineExceeded);
    }
}
