-- works with: 11
-- locks tables: before version 1 nobody has many groups
-- The groups that take requests from some addresses only: read at every start and after every change of one.
create index namespaces_address_rules on namespaces (id)
  where settings ->> 'ip_restriction_ranges' is not null;

-- Settings that promised protection and did nothing. They are refused now.
update namespaces
  set settings = settings - array['require_two_factor_authentication', 'unique_project_download_limit',
    'auto_ban_user_on_excessive_projects_download', 'ldap_cn', 'ldap_access']
  where settings ?| array['require_two_factor_authentication', 'unique_project_download_limit',
    'auto_ban_user_on_excessive_projects_download', 'ldap_cn', 'ldap_access'];
