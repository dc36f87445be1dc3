//! What the description of `/api` says of every operation alike: its name, its refusals, the token it needs.

use axum::http::Method;
use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr, Response, SecurityRequirement,
    path::Operation,
    security::{Http, HttpAuthScheme, SecurityScheme},
};

use crate::{
    errors,
    routes::{self, Access, access},
};

/// The name of the one answer that all refusals share.
const REFUSAL: &str = "Refusal";

/// The description as the committed file has it.
///
/// # Errors
/// Never in practice: the description is plain data.
pub fn json() -> anyhow::Result<String> {
    Ok(routes::openapi().to_pretty_json()? + "\n")
}

/// Adds what holds for every operation: its name, its refusals, and the token where one is needed.
///
/// Every refusal has the same body whatever its status, so it is described once and is each operation's `default`.
pub(crate) fn finished(mut doc: OpenApi) -> OpenApi {
    let components = doc.components.get_or_insert_default();
    components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    components.responses.insert(REFUSAL.into(), RefOr::T(refusal()));
    for (path, item) in &mut doc.paths.paths {
        let operations: [(Method, &mut Option<Operation>); 4] = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            operation.operation_id = Some(operation_id(&method, path));
            let needs = SecurityRequirement::new::<_, _, String>("bearer", []);
            match access(&method, path) {
                Access::Users => operation.security = Some(vec![needs]),
                Access::Visitors => operation.security = Some(vec![needs, SecurityRequirement::default()]),
                Access::Anyone => {}
            }
            let refused = RefOr::Ref(Ref::from_response_name(REFUSAL));
            operation.responses.responses.insert("default".into(), refused);
        }
    }
    doc
}

/// The answer to whatever is refused, with the statuses of the one table of reasons.
fn refusal() -> Response {
    let mut statuses: Vec<u16> = errors::TABLE.iter().map(|(_, status, _)| *status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
    let mut response = Response::new(format!("Refused, with one of {}.", statuses.join(", ")));
    let body = Content::new(Some(RefOr::Ref(Ref::from_schema_name("ErrorBody"))));
    response.content.insert("application/json".into(), RefOr::T(body));
    response
}

/// `get_user_username` for `GET /api/user/{username}`.
fn operation_id(method: &Method, path: &str) -> String {
    let plain = path.replace("/api", "").replace(['/', '-'], "_").replace(['{', '}'], "");
    format!("{}{plain}", method.as_str().to_lowercase())
}
