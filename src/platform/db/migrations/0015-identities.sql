-- works with: 11
-- Who a user is at other providers of accounts; one for each provider.
create table identities (
  user_id bigint not null references users (id) on delete cascade,
  provider text not null,
  extern_uid text not null,
  primary key (user_id, provider)
);
create unique index identities_extern_uid_key on identities (provider, lower(extern_uid));
