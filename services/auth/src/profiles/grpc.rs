use kit::{
    caller,
    db::{Db, Transaction},
    error::Failure,
    text,
    time::to_proto,
};
use moderation::Place;
use proto::auth::v1::{
    GetFollowStateRequest, GetFollowStateResponse, GetPeopleRequest, GetPeopleResponse, GetProfileRequest,
    GetProfileResponse, OwnProfile, Person as PbPerson, Profile as PbProfile, SignedInDevice,
    ToggleFollowRequest, ToggleFollowResponse, UpdateProfileRequest, UpdateProfileResponse,
    get_profile_response::View, profiles_server::Profiles,
};
use tonic::{Request, Response, Status};
use url::Url;
use uuid::Uuid;

use super::{Person, store};
use crate::{
    App,
    accounts::Username,
    error::{Error, Result},
    events, limits,
    notifications::{Note, store as notifications},
    people::store as people,
};

impl From<Person> for PbPerson {
    fn from(p: Person) -> Self {
        Self { id: p.id.to_string(), username: p.username, avatar_asset: p.avatar_asset }
    }
}

fn shown(id: Uuid, profile: store::Profile, followers: Vec<Person>, followed: Vec<Person>) -> PbProfile {
    PbProfile {
        id: id.to_string(),
        username: profile.username,
        bio: profile.bio,
        avatar_asset: profile.avatar_asset,
        follower_count: profile.followers.unsigned_abs(),
        followers: followers.into_iter().map(Into::into).collect(),
        followed_creators: followed.into_iter().map(Into::into).collect(),
        sponsor_me_link: profile.sponsor_me_link,
        created_at: Some(to_proto(profile.created_at)),
    }
}

async fn public_profile(db: &Db, id: Uuid) -> Result<PbProfile> {
    let found = store::find(db, id).await?.ok_or(Error::UserNotFound)?;
    let (followers, followed) = people::newest(db, id, limits::PROFILE_LIST).await?;
    Ok(shown(id, found, followers, followed))
}

/// Devices as their owner sees them, the one of this session marked.
pub fn signed_in(devices: Vec<store::Device>, session: Uuid) -> Vec<SignedInDevice> {
    let devices = devices.into_iter().map(|d| SignedInDevice {
        current: d.id == session,
        id: d.id.to_string(),
        device: d.device,
        browser: d.browser,
        ip: d.ip,
        location: d.location,
        last_login_at: Some(to_proto(d.last_login_at)),
    });
    devices.collect()
}

/// A profile as its owner sees it, from the session they are in.
async fn own_profile(db: &Db, id: Uuid, session: Uuid) -> Result<OwnProfile> {
    let own = store::own(db, id, limits::PROFILE_LIST).await?.ok_or(Error::UserNotFound)?;
    Ok(shown_to_owner(id, session, own))
}

/// What the statement found, as its owner sees it from this session.
pub fn shown_to_owner(id: Uuid, session: Uuid, own: store::Own) -> OwnProfile {
    OwnProfile {
        profile: Some(shown(id, own.profile, own.followers, own.following)),
        email: own.email,
        personas: own.personas.into_iter().map(Into::into).collect(),
        devices: signed_in(own.devices, session),
        two_step: own.two_step,
        roles: own.roles,
        erased_at: own.deletion_at.map(to_proto),
        unread_notifications: u32::try_from(own.unread_notifications).unwrap_or(u32::MAX),
    }
}

#[tonic::async_trait]
impl Profiles for App {
    async fn get_profile(
        &self,
        request: Request<GetProfileRequest>,
    ) -> Result<Response<GetProfileResponse>, Status> {
        let caller = caller::maybe(&request);
        // Who ends a suspension knows its holder by name.
        let moderates = caller::admin(&request).is_ok();
        let username = request.into_inner().username;
        // `me` is reserved, so it is nobody else; a token keeps the name that its holder had at login.
        let id = match &caller {
            Some(me) if username.eq_ignore_ascii_case("me") => me.id,
            _ => store::id_of(&self.db, &username, moderates).await?.ok_or(Error::UserNotFound)?,
        };
        let view = match caller.filter(|u| u.id == id) {
            Some(me) => View::Own(own_profile(&self.db, id, me.session).await?),
            None => View::Public(public_profile(&self.db, id).await?),
        };
        Ok(Response::new(GetProfileResponse { view: Some(view) }))
    }

    async fn get_people(
        &self,
        request: Request<GetPeopleRequest>,
    ) -> Result<Response<GetPeopleResponse>, Status> {
        let ids = request.into_inner().ids;
        if ids.len() > limits::PEOPLE_MAX {
            return Err(Failure::invalid("ids", format!("At most {} at once.", limits::PEOPLE_MAX)).into());
        }
        let ids: Vec<Uuid> = ids.iter().filter_map(|id| Uuid::try_parse(id).ok()).collect();
        let people = store::people(&self.db, &ids).await?;
        Ok(Response::new(GetPeopleResponse { people: people.into_iter().map(Into::into).collect() }))
    }

    async fn update_profile(
        &self,
        request: Request<UpdateProfileRequest>,
    ) -> Result<Response<UpdateProfileResponse>, Status> {
        let user = caller::user(&request)?;
        let profile = match self.change_profile(user.id, user.session, request.into_inner()).await {
            Ok(profile) => profile,
            Err(refusal) => {
                self.count(user.id, &refusal, "your profile").await?;
                return Err(refusal.into());
            }
        };
        Ok(Response::new(UpdateProfileResponse { profile: Some(profile) }))
    }

    async fn toggle_follow(
        &self,
        request: Request<ToggleFollowRequest>,
    ) -> Result<Response<ToggleFollowResponse>, Status> {
        let user = caller::user(&request)?;
        let followee = kit::ids::find("user_not_found", &request.into_inner().user_id)?;
        let is_following = self.follow(user.id, followee).await?;
        let follower_count =
            store::find(&self.db, followee).await?.map_or(0, |profile| profile.followers.unsigned_abs());
        Ok(Response::new(ToggleFollowResponse { is_following, follower_count }))
    }

    async fn get_follow_state(
        &self,
        request: Request<GetFollowStateRequest>,
    ) -> Result<Response<GetFollowStateResponse>, Status> {
        let user = caller::user(&request)?;
        let followee = kit::ids::find("user_not_found", &request.into_inner().user_id)?;
        let is_following = store::follows(&self.db, user.id, followee).await?;
        Ok(Response::new(GetFollowStateResponse { is_following }))
    }
}

impl App {
    async fn change_profile(&self, id: Uuid, session: Uuid, ask: UpdateProfileRequest) -> Result<OwnProfile> {
        let username = ask.username.as_deref().map(Username::parse).transpose()?;
        if let Some(username) = &username {
            judged(username.as_str(), Place::Profile, "username")?;
        }
        let bio = ask.bio.as_deref().map(|bio| text::clean(bio, limits::BIO_MAX)).transpose();
        let bio = bio.map_err(|e| Failure::invalid("bio", e.to_string()))?;
        if let Some(bio) = &bio {
            judged(bio, Place::Profile, "bio")?;
        }
        let sponsor = ask.sponsor_me_link.as_deref().map(checked_link).transpose()?;
        let mut tx = self.db.begin().await?;
        let (avatar, sponsor) = (ask.avatar_asset.as_deref(), sponsor.as_deref());
        let (person, version) =
            store::update(&mut *tx, id, username.as_ref(), bio.as_deref(), avatar, sponsor).await?;
        events::user_changed(&mut *tx, "auth.user.updated", &person, version).await?;
        tx.commit().await?;
        own_profile(&self.db, id, session).await
    }

    async fn follow(&self, follower: Uuid, followee: Uuid) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let on = store::toggle_follow(&mut *tx, follower, followee).await?;
        events::follow_changed(&mut tx, follower, followee, on).await?;
        let note = if on { self.tell_followee(&mut tx, follower, followee).await? } else { None };
        tx.commit().await?;
        if let Some(note) = note {
            self.notices.hint(followee, "notification", note.to_string()).await;
        }
        Ok(on)
    }

    async fn tell_followee(
        &self,
        tx: &mut Transaction,
        follower: Uuid,
        followee: Uuid,
    ) -> Result<Option<Uuid>> {
        let person = store::people(&mut **tx, &[follower]).await?.pop().ok_or(Error::UserNotFound)?;
        notifications::add(tx, followee, &Note::follower(follower, &person.username)).await
    }
}

/// A link that browsers may follow from a profile; empty takes it away.
fn checked_link(link: &str) -> Result<String, Failure> {
    let wrong = || {
        let text = format!("An https:// address of at most {} characters.", limits::LINK_MAX);
        Failure::invalid("sponsorMeLink", text)
    };
    let link = text::clean(link, limits::LINK_MAX).map_err(|_| wrong())?;
    if link.is_empty() {
        return Ok(link);
    }
    let url = Url::parse(&link).map_err(|_| wrong())?;
    // Credentials in an address serve to show another host than the one it leads to.
    let plain = url.scheme() == "https"
        && url.username().is_empty()
        && url.password().is_none()
        && url.host_str().is_some_and(|host| host.contains('.'));
    let url = String::from(url);
    if plain && url.len() <= limits::LINK_MAX { Ok(url) } else { Err(wrong()) }
}

/// Judges what nobody would look at before others see it, or what nobody else sees: what is not refused stands.
///
/// # Errors
/// `moderated`, naming the field and the rule.
pub fn judged(text: &str, place: Place, field: &str) -> Result<()> {
    match moderation::judge(text, place).unless_refused() {
        Ok(_) => Ok(()),
        Err(rule) => Err(Error::Moderated(field.to_owned(), rule)),
    }
}
