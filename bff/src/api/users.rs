//! People: composed from `auth` (profile), `catalog` (characters, preferences), `billing` (plan, coins)
//! and `chat` (messages used).

use axum::{
    Json,
    extract::{Request, State as Shared},
    http::HeaderMap,
};
use proto::{
    auth::v1::{
        AssureAgeRequest, GetProfileRequest, OwnProfile, Person, Profile, SignedInDevice,
        ToggleFollowRequest, UpdateProfileRequest, get_profile_response::View,
    },
    billing::v1::{GetSubscriptionRequest, GetSubscriptionResponse, Plan, SubscriptionStatus},
    catalog::v1::{
        DescribeCreatorRequest, DescribeCreatorResponse, GetViewerRequest, GetViewerResponse,
        SetViewerRequest, Viewer,
    },
    chat::v1::{GetUsageRequest, Usage},
    media::v1::{CreateUploadRequest, UploadPurpose},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::Status;
use utoipa::ToSchema;

use super::{Said, or_null, perhaps, personas::Persona, subscriptions::PaidEvery, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment, country},
    form, media,
};

/// A person in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FollowerItem {
    #[serde(rename = "_id")]
    pub id: String,
    pub username: String,
    #[schema(required)]
    pub pfp: Option<String>,
}

impl From<Person> for FollowerItem {
    fn from(person: Person) -> Self {
        Self { id: person.id, username: person.username, pfp: media::avatar(&person.avatar_asset) }
    }
}

/// A device that is signed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceInfo {
    id: String,
    device: String,
    browser: String,
    ip: String,
    /// Coarse, from the time zone.
    location: String,
    #[serde(with = "time::serde::rfc3339")]
    last_login_time: OffsetDateTime,
    /// The one that asks.
    current: bool,
}

impl From<SignedInDevice> for DeviceInfo {
    fn from(d: SignedInDevice) -> Self {
        Self {
            last_login_time: when(d.last_login_at.as_ref()),
            id: d.id,
            device: d.device,
            browser: d.browser,
            ip: d.ip,
            location: d.location,
            current: d.current,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct Coins {
    available: u64,
    reserved: u64,
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    age_confirmed: bool,
    nsfw: bool,
}

impl From<&Viewer> for Preferences {
    fn from(viewer: &Viewer) -> Self {
        Self { age_confirmed: viewer.age_confirmed, nsfw: viewer.nsfw_on }
    }
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionState {
    Inactive,
    Active,
    PastDue,
    Canceled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanName {
    Free,
    Premium,
    Deluxe,
}

impl From<Plan> for PlanName {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Premium => Self::Premium,
            Plan::Deluxe => Self::Deluxe,
            Plan::Unspecified | Plan::Free => Self::Free,
        }
    }
}

/// What only the person may see of themselves.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Private {
    #[schema(required = false)]
    email: String,
    #[schema(required = false)]
    personas: Vec<Persona>,
    #[schema(required = false)]
    subscription_status: SubscriptionState,
    #[schema(required = false)]
    subscription_plan: PlanName,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = false)]
    subscription_end_date: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = false)]
    next_payment_date: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = false)]
    last_payment_date: Option<OffsetDateTime>,
    #[schema(required = false)]
    device_info: Vec<DeviceInfo>,
    #[schema(required = false)]
    coins: Coins,
    /// Messages sent this calendar month (UTC); left out of the answer to a login, and while nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u32)]
    messages_used: Option<u32>,
    /// Null for a free account, whose limit is the length of a chat, and where `messagesUsed` is left out.
    #[schema(required = false)]
    messages_limit: Option<u32>,
    #[schema(required = false)]
    preferences: Preferences,
    /// The second step of a login is on.
    #[schema(required = false)]
    two_step: bool,
    /// Roles of the account; they count in sessions that took the second step.
    #[schema(required = false)]
    roles: Vec<String>,
    /// When the account will be erased; null unless that was asked for.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = false)]
    erased_at: Option<OffsetDateTime>,
    #[schema(required = false)]
    unread_notifications: u32,
    /// How often the plan is paid for; null on the free plan.
    #[schema(required = false)]
    subscription_period: Option<PaidEvery>,
    /// A change of plan that waits for the end of the period.
    #[schema(required = false)]
    next_plan: Option<PlanName>,
    #[schema(required = false)]
    next_period: Option<PaidEvery>,
    /// Until then one may withdraw from the purchase.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = false)]
    withdrawable_until: Option<OffsetDateTime>,
}

/// A person. The second part is there in one's own profile only.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    #[serde(rename = "_id")]
    id: String,
    username: String,
    bio: String,
    #[schema(required)]
    pfp: Option<String>,
    follower_count: u64,
    /// The newest 50.
    followers: Vec<FollowerItem>,
    /// Characters that the reader may see.
    characters: u64,
    /// The creator badge of the paid plans.
    badge: bool,
    /// The newest 50.
    followed_creators: Vec<FollowerItem>,
    /// Ids, the newest 500; empty in the profiles of others.
    followed_characters: Vec<String>,
    #[schema(required)]
    sponsor_me_link: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Private)]
    own: Option<Private>,
}

/// What the other services say of the one who asks.
struct Parts {
    avatar: Option<String>,
    viewer: GetViewerResponse,
    paid: GetSubscriptionResponse,
    usage: Option<Usage>,
}

/// A part, or its refusal.
struct Asked {
    avatar: Option<String>,
    viewer: Result<GetViewerResponse, Status>,
    paid: Result<GetSubscriptionResponse, Status>,
}

async fn describe(app: &State, creator: &str) -> Result<DescribeCreatorResponse, Status> {
    let request = DescribeCreatorRequest { creator_id: creator.to_owned() };
    Ok(app.clients.viewers().describe_creator(request).await?.into_inner())
}

/// Asks all services but chat at once.
async fn ask(app: &State, profile: Option<&Profile>) -> Asked {
    let avatar = profile.map_or("", |p| p.avatar_asset.as_str());
    let (mut viewers, mut subscriptions) = (app.clients.viewers(), app.clients.subscriptions());
    let (avatar, viewer, paid) = tokio::join!(
        media::own_avatar(app, avatar),
        viewers.get_viewer(GetViewerRequest {}),
        subscriptions.get_subscription(GetSubscriptionRequest {}),
    );
    // A release before this one says nothing of coins, and to show none would be wrong.
    let with_coins = |paid: GetSubscriptionResponse| match paid.balance {
        Some(_) => Ok(paid),
        None => Err(Status::unavailable("no balance")),
    };
    Asked {
        avatar,
        viewer: viewer.map(tonic::Response::into_inner),
        paid: paid.map(tonic::Response::into_inner).and_then(with_coins),
    }
}

/// How many messages the one who asks has sent. It may be missing: nobody is locked out of their account because chat is
/// away.
async fn usage(app: &State) -> Option<Usage> {
    let asked = app.clients.chats().get_usage(GetUsageRequest {}).await;
    known(asked.map(|told| told.into_inner().usage), "usage")
}

fn compose(
    profile: Profile,
    avatar: Option<String>,
    creator: DescribeCreatorResponse,
    followed_characters: Vec<String>,
    own: Option<Private>,
) -> User {
    User {
        created_at: when(profile.created_at.as_ref()),
        pfp: avatar,
        follower_count: profile.follower_count,
        followers: profile.followers.into_iter().map(Into::into).collect(),
        characters: creator.characters,
        badge: creator.badge,
        followed_creators: profile.followed_creators.into_iter().map(Into::into).collect(),
        followed_characters,
        sponsor_me_link: or_null(profile.sponsor_me_link),
        id: profile.id,
        username: profile.username,
        bio: profile.bio,
        own,
    }
}

fn compose_own(own: OwnProfile, parts: Parts) -> User {
    let GetViewerResponse { viewer, characters, badge } = parts.viewer;
    let viewer = viewer.unwrap_or_default();
    let subscription = parts.paid.subscription.unwrap_or_default();
    let balance = parts.paid.balance.unwrap_or_default();
    let private = Private {
        email: own.email,
        personas: own.personas.into_iter().map(Into::into).collect(),
        subscription_status: match subscription.status() {
            SubscriptionStatus::Active => SubscriptionState::Active,
            SubscriptionStatus::PastDue => SubscriptionState::PastDue,
            SubscriptionStatus::Canceled => SubscriptionState::Canceled,
            SubscriptionStatus::Unspecified | SubscriptionStatus::Inactive => SubscriptionState::Inactive,
        },
        subscription_plan: subscription.plan().into(),
        subscription_end_date: perhaps(subscription.ends_at.as_ref()),
        next_payment_date: perhaps(subscription.next_payment_at.as_ref()),
        last_payment_date: perhaps(subscription.last_payment_at.as_ref()),
        device_info: own.devices.into_iter().map(Into::into).collect(),
        coins: Coins { available: balance.available, reserved: balance.reserved },
        messages_used: parts.usage.map(|usage| usage.used),
        messages_limit: parts.usage.and_then(|usage| usage.limit),
        preferences: (&viewer).into(),
        two_step: own.two_step,
        roles: own.roles,
        erased_at: perhaps(own.erased_at.as_ref()),
        unread_notifications: own.unread_notifications,
        subscription_period: PaidEvery::of(subscription.period()),
        next_period: PaidEvery::of(subscription.next_period()),
        next_plan: (subscription.next_plan() != Plan::Unspecified).then(|| subscription.next_plan().into()),
        withdrawable_until: perhaps(subscription.withdrawable_until.as_ref()),
    };
    let creator = DescribeCreatorResponse { characters, badge };
    let profile = own.profile.unwrap_or_default();
    compose(profile, parts.avatar, creator, viewer.followed_character_ids, Some(private))
}

/// A part that may be left out; its absence is logged.
fn known<T: Default>(part: Result<T, Status>, what: &str) -> T {
    part.unwrap_or_else(|status| {
        tracing::warn!(code = ?status.code(), what, "left out of a profile");
        T::default()
    })
}

/// One's own profile; plan, coins and preferences must be there, since a wrong one is worse than none.
async fn own(app: &State, own: OwnProfile) -> Answer<User> {
    let (asked, usage) = tokio::join!(ask(app, own.profile.as_ref()), usage(app));
    let parts = Parts { avatar: asked.avatar, viewer: asked.viewer?, paid: asked.paid?, usage };
    Ok(compose_own(own, parts))
}

/// One's own profile after something that has been done already (a change): a part that cannot be had is left at its
/// default rather than failing what worked. The web asks again.
pub async fn own_as_far_as_known(app: &State, own: OwnProfile) -> User {
    let (asked, usage) = tokio::join!(ask(app, own.profile.as_ref()), usage(app));
    as_far_as_known(own, asked, usage)
}

/// The same for the answer to a login, which leaves out how many messages were sent: who has just come sees it on no
/// page before the profile is read again, and one service less is asked for each login.
pub async fn own_at_login(app: &State, own: OwnProfile) -> User {
    let asked = ask(app, own.profile.as_ref()).await;
    as_far_as_known(own, asked, None)
}

fn as_far_as_known(own: OwnProfile, asked: Asked, usage: Option<Usage>) -> User {
    let (viewer, paid) = (known(asked.viewer, "viewer"), known(asked.paid, "subscription"));
    compose_own(own, Parts { avatar: asked.avatar, viewer, paid, usage })
}

/// A profile by its username.
#[utoipa::path(get, path = "/user/{username}", tag = "people", params(("username" = String, Path), ("isOwnProfile" = Option<bool>, Query, description = "Accepted and ignored: the token alone decides whose profile it is.")), responses((status = 200, body = User)))]
pub async fn show(Shared(app): Shared<State>, Segment(username): Segment<String>) -> Answer<Json<User>> {
    let found = app.clients.profiles().get_profile(GetProfileRequest { username }).await?.into_inner();
    match found.view.ok_or_else(|| Problem::of("user_not_found"))? {
        View::Own(profile) => Ok(Json(own(&app, profile).await?)),
        View::Public(profile) => {
            // A page about a person is worth showing without what is known of them as a creator.
            let creator = known(describe(&app, &profile.id).await, "creator");
            let avatar = media::avatar(&profile.avatar_asset);
            Ok(Json(compose(profile, avatar, creator, Vec::new(), None)))
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferencesBody {
    age_confirmed: Option<bool>,
    /// Turning it on needs the confirmation of age, now or before.
    nsfw: Option<bool>,
    /// What the country's provider of age assurance handed back; only where there is one.
    #[schema(max_length = 4096)]
    age_proof: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferencesKept {
    success: bool,
    preferences: Preferences,
    /// Where the country's provider of age assurance wants the browser; null when there is nothing to do.
    #[schema(required)]
    age_redirect: Option<String>,
}

/// Keeps where the reader stands.
#[utoipa::path(post, path = "/user/preferences", tag = "people", request_body = PreferencesBody, responses((status = 200, body = PreferencesKept)))]
pub async fn preferences(
    Shared(app): Shared<State>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<PreferencesBody>,
) -> Answer<Json<PreferencesKept>> {
    let declared = body.age_confirmed == Some(true);
    let (mut age_confirmed, mut nsfw_on) = (body.age_confirmed, body.nsfw);
    let mut age_redirect = None;
    if declared || nsfw_on == Some(true) {
        // What a confirmation takes is the rule of the country, which auth knows; where it has changed since,
        // an earlier confirmation opens nothing.
        let proof = body.age_proof.unwrap_or_default();
        let request = AssureAgeRequest { declared, country: country(&app, &headers), proof };
        let answer = app.clients.age().assure_age(request).await?.into_inner();
        age_redirect = or_null(answer.redirect);
        if !answer.assured && age_redirect.is_none() {
            return Err(Problem::of("age_unconfirmed"));
        }
        age_confirmed = answer.assured.then_some(true);
        nsfw_on = nsfw_on.filter(|_| answer.assured);
    }
    let request = SetViewerRequest { age_confirmed, nsfw_on };
    let viewer = app.clients.viewers().set_viewer(request).await?.into_inner().viewer.unwrap_or_default();
    Ok(Json(PreferencesKept { success: true, preferences: (&viewer).into(), age_redirect }))
}

/// The form; absent fields stay as they are.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form")]
pub struct UpdateForm {
    #[schema(max_length = 30)]
    username: Option<String>,
    #[schema(max_length = 1000)]
    bio: Option<String>,
    /// An `https` address; empty takes it away.
    #[schema(max_length = 200)]
    sponsor_me_link: Option<String>,
    /// PNG, JPEG, WebP or GIF, at most 10 MiB.
    #[schema(value_type = Option<String>, format = Binary)]
    pfp: Option<Vec<u8>>,
}

#[derive(Serialize, ToSchema)]
pub struct Updated {
    success: bool,
    #[serde(flatten)]
    said: Said,
    user: User,
}

/// Changes one's own profile.
#[utoipa::path(post, path = "/user/update", tag = "people", request_body(content = UpdateForm, content_type = "multipart/form-data"), responses((status = 200, body = Updated)))]
pub async fn update(Shared(app): Shared<State>, request: Request) -> Answer<Json<Updated>> {
    let form = form::read(request, &app, &["pfp"]).await?;
    let avatar_asset = match form.picture() {
        None => None,
        Some(picture) => {
            let upload = CreateUploadRequest {
                data: picture.to_vec(),
                purpose: UploadPurpose::Avatar.into(),
                private: false,
            };
            Some(app.clients.uploads().create_upload(upload).await?.into_inner().asset)
        }
    };
    let request = UpdateProfileRequest {
        username: form.text("username").map(str::to_owned),
        bio: form.text("bio").map(str::to_owned),
        avatar_asset,
        sponsor_me_link: form.text("sponsorMeLink").map(str::to_owned),
    };
    let profile = app.clients.profiles().update_profile(request).await?.into_inner().profile;
    let profile = profile.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(Updated {
        success: true,
        said: Said::new("Profile updated successfully!"),
        user: own_as_far_as_known(&app, profile).await,
    }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Followed {
    success: bool,
    is_following: bool,
    follower_count: u64,
}

/// Follows or unfollows a person.
#[utoipa::path(post, path = "/user/{id}/follow", tag = "people", params(("id" = String, Path)), responses((status = 200, body = Followed)))]
pub async fn follow(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<Followed>> {
    let now = app.clients.profiles().toggle_follow(ToggleFollowRequest { user_id: id }).await?.into_inner();
    Ok(Json(Followed { success: true, is_following: now.is_following, follower_count: now.follower_count }))
}
