//! Addresses that are listened on, not yet answered at.

use crate::config::Setting;
use crate::runtime::error::InstallError;
use std::net::TcpListener;

/// Listens at the address of a setting. `listener` names it in the error.
///
/// # Errors
/// When it is no address, or cannot be listened on.
pub(crate) fn bind(setting: &Setting, listener: &'static str) -> Result<TcpListener, InstallError> {
    let addresses = setting
        .addresses()
        .map_err(|error| InstallError::Config(vec![error]))?;
    TcpListener::bind(addresses.as_slice()).map_err(|source| InstallError::Bind {
        listener,
        address: setting.value.clone(),
        source,
    })
}
