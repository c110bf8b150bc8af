import { roleTitles } from '#platform/access/roles.ts'
import { textOf } from '#platform/facts/changes.ts'
import type { FactName } from '#platform/facts/fact.ts'
import {
  type Audited,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  type FieldNames,
  inWords,
  type Target,
} from './telling.ts'
import { tokenEvent, tokenEventNames } from './tokens.ts'

/** Fields whose events have names of their own, as clients know them. */
const userFields: FieldNames = { admin: 'user_admin_status_updated', email: 'user_email_address_updated' }
const groupFields: FieldNames = { visibility: 'group_visibility_level_updated' }
const projectFields: FieldNames = {
  visibility: 'project_visibility_level_updated',
  squash_option: 'squash_option_updated',
  merge_commit_template: 'merge_commit_template_updated',
  squash_commit_template: 'squash_commit_template_updated',
  allow_merge_on_skipped_pipeline: 'allow_merge_on_skipped_pipeline_updated',
  merge_pipelines_enabled: 'project_cicd_merge_pipelines_enabled_updated',
  merge_trains_enabled: 'project_cicd_merge_trains_enabled_updated',
}

const user = (id: number): Target => ({ type: 'User', id })
const group = (id: number): Target => ({ type: 'Group', id })
const named = (target: Target | null, name: string) =>
  target === null ? {} : { target: { ...target, name } }
/** Whoever keeps something has it in their list. */
const whose = (id: number | null) => ({ entity: id === null ? ('instance' as const) : { user: id } })
const role = (level: number) => roleTitles[level] ?? String(level)
const until = (day: string | null) => (day === null ? 'without an end' : `until ${day}`)
const says = (custom_message: string) => ({ details: { custom_message } })

/**
 * What of all that happens an administrator is asked about later. A fact that is not here costs nothing; a further one is
 * a line here and one in docs/guides/audit-events.md. Event names are those that other programs filter by, or else
 * the fact in their form; they stay for ever.
 */
export const audited: { readonly [Name in FactName]?: Audited<Name> } = {
  // People
  'user created': event('user_created', () => ({ details: { add: 'user' } })),
  'user changed': eventForEach(changeEventNames('user', userFields), ({ details }) =>
    changeEvents('user', userFields, details),
  ),
  'user renamed': event('user_username_updated', ({ details: { from, to } }) => ({
    details: { change: 'username', from, to },
  })),
  'user identity changed': event('user_identity_updated', ({ details: { provider, from, to } }) => ({
    details: { change: `identity at ${provider}`, from, to },
  })),
  'user blocked': event('user_blocked', () => says('Blocked user')),
  'user unblocked': event('unblock_user', () => says('Unblocked user')),
  'user banned': event('ban_user', () => says('Banned user')),
  'user unbanned': event('unban_user', () => says('Unbanned user')),
  'user activated': event('user_activate', () => says('Activated user')),
  'user deactivated': event('user_deactivate', () => says('Deactivated user')),
  'user approved': event('user_approved', () => says('Approved user')),
  'user deleted': event('user_destroyed', () => ({ details: { remove: 'user' } })),
  'session started': event('session_started', () => ({ details: { with: 'standard' } })),
  'session ended': event('session_ended', () => says('Signed out')),
  'other sessions ended': event('other_sessions_ended', ({ details: { count } }) =>
    says(`Signed out of ${count} other ${count === 1 ? 'session' : 'sessions'}`),
  ),
  'sign-in refused': event('login_failed_with_standard_authentication', () => says('Sign-in refused')),
  'user password changed': event('user_password_updated', () => ({ details: { change: 'password' } })),

  // Tokens and applications
  'token created': eventForEach(tokenEventNames('created'), (fact) => {
    const { scopes, expires_at, access_level } = fact.details
    return [
      tokenEvent(fact, 'created', (add) => ({
        add,
        ...(access_level === null ? {} : { as: role(access_level) }),
        custom_message: `Created ${add} with the scopes ${scopes.join(', ')}, ${until(expires_at)}`,
      })),
    ]
  }),
  'token rotated': eventForEach(tokenEventNames('rotated'), (fact) => [
    tokenEvent(fact, 'rotated', (title) => ({
      custom_message: `Rotated ${title}; the new one is good ${until(fact.details.expires_at)}`,
    })),
  ]),
  'token revoked': eventForEach(tokenEventNames('revoked'), (fact) => [
    tokenEvent(fact, 'revoked', (title) => ({ remove: title, custom_message: `Revoked ${title}` })),
  ]),
  'token reuse refused': eventForEach(tokenEventNames('reuse_refused'), (fact) => [
    tokenEvent(fact, 'reuse_refused', (title) => ({
      custom_message: `Refused ${title} that had been replaced, and revoked what came of it`,
    })),
  ]),
  'application created': event('oauth_application_created', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...named(target, details.name),
    details: {
      add: 'application',
      custom_message: `Added OAuth application with the scopes ${details.scopes.join(', ')}`,
    },
  })),
  'application changed': event('oauth_application_updated', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...named(target, details.name),
    ...says(`Changed OAuth application; its scopes are ${details.scopes.join(', ')}`),
  })),
  'application secret renewed': event(
    'oauth_application_secret_renewed',
    ({ target, details }, authorId) => ({
      ...whose(authorId),
      ...named(target, details.name),
      ...says('Renewed the secret of an OAuth application'),
    }),
  ),
  'application deleted': event('oauth_application_deleted', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...named(target, details.name),
    details: { remove: 'application' },
  })),
  'application authorized': event('oauth_application_authorized', ({ target, details }) => ({
    ...whose(details.user_id),
    ...named(target, details.name),
    ...says(`Let an OAuth application act with the scopes ${details.scopes.join(', ')}`),
  })),
  'application revoked': event('oauth_application_revoked', ({ target, details }) => ({
    ...whose(details.user_id),
    ...named(target, details.name),
    ...says('An OAuth application may not act for the user any more'),
  })),
  'OAuth token reuse refused': event('oauth_token_reuse_refused', ({ target, details }) => ({
    ...whose(details.user_id),
    ...named(target, details.name),
    ...says(`Refused ${details.what} that was used before, and revoked what came of it`),
  })),

  // Groups and projects
  'namespace changed': eventForEach(changeEventNames('namespace', {}), ({ details }) =>
    changeEvents('namespace', {}, details),
  ),
  'group created': event('group_created', () => ({ details: { add: 'group' } })),
  'group changed': eventForEach(changeEventNames('group', groupFields), ({ details }) =>
    changeEvents('group', groupFields, details),
  ),
  'group renamed': event('group_path_updated', ({ details: { from, to } }) => ({
    details: { change: 'path', from, to },
  })),
  'group transferred': event('group_transferred', ({ details: { from, to } }) => ({
    details: { change: 'namespace', from, to },
  })),
  'group archived': event('group_archived', () => says('Archived group')),
  'group unarchived': event('group_unarchived', () => says('Unarchived group')),
  'group shared': event('group_share_with_group_link_created', ({ details }) => ({
    target: group(details.group_id),
    details: { add: 'group_access', as: role(details.access_level) },
  })),
  'group unshared': event('group_share_with_group_link_removed', ({ details }) => ({
    target: group(details.group_id),
    details: { remove: 'group_access' },
  })),
  'group deleted': event('group_destroyed', ({ target, details: { path } }) => ({
    ...(target && { entity: { type: 'Group', id: target.id, path } }),
    details: { remove: 'group' },
  })),
  'project created': event('project_created', () => ({ details: { add: 'project' } })),
  'project changed': eventForEach(changeEventNames('project', projectFields), ({ details }) =>
    changeEvents('project', projectFields, details),
  ),
  'project renamed': event('project_path_updated', ({ details: { from, to } }) => ({
    details: { change: 'path', from, to },
  })),
  'project transferred': event('project_namespace_updated', ({ details: { from, to } }) => ({
    details: { change: 'namespace', from, to },
  })),
  'project archived': event('project_archived', () => says('Archived project')),
  'project unarchived': event('project_unarchived', () => says('Unarchived project')),
  'project shared': event('project_group_link_created', ({ details }) => ({
    target: group(details.group_id),
    details: { add: 'project_access', as: role(details.access_level) },
  })),
  'project unshared': event('project_group_link_deleted', ({ details }) => ({
    target: group(details.group_id),
    details: { remove: 'project_access' },
  })),
  'project deleted': event('project_destroyed', ({ target, details: { path } }) => ({
    ...(target && { entity: { type: 'Project', id: target.id, path } }),
    details: { remove: 'project' },
  })),
  'issue deleted': event('delete_issue', ({ target, details: { iid, title } }) => ({
    ...named(target, title),
    details: { remove: 'issue', custom_message: `Deleted issue #${iid}` },
  })),

  // Members
  'member added': event('member_created', ({ details }) => ({
    target: user(details.user_id),
    details: {
      add: 'user_access',
      as: role(details.access_level),
      custom_message: `Became a member ${until(details.expires_at)}`,
    },
  })),
  'member changed': eventForEach(['member_updated'], function* ({ details: { before, ...now } }) {
    const common = { event: 'member_updated', target: user(now.user_id) }
    const [from, to] = [role(before.access_level), role(now.access_level)]
    if (from !== to) yield { ...common, details: { change: 'access_level', from, to } }
    if (before.expires_at === now.expires_at) return
    yield { ...common, details: { change: 'expiry', from: before.expires_at, to: now.expires_at } }
  }),
  'member removed': eventForEach(
    ['member_destroyed'],
    function* ({ namespace, details: { user_id, below } }) {
      for (const place of namespace === null ? below : [namespace, ...below]) {
        const entity = { place }
        yield { event: 'member_destroyed', entity, target: user(user_id), details: { remove: 'user_access' } }
      }
    },
  ),

  // The instance
  'license added': event(
    'license_added',
    ({ target, details: { company, plan, starts_at, expires_at } }) => ({
      ...named(target, company),
      details: { add: 'license', custom_message: `${plan}, ${starts_at} to ${expires_at}` },
    }),
  ),
  'license deleted': event('license_deleted', ({ target, details: { company } }) => ({
    ...named(target, company),
    details: { remove: 'license' },
  })),
  'license usage exported': event('license_usage_exported', () => says('Exported license usage')),
  'feature switch set': event('feature_switch_set', ({ details: { feature, state } }) => ({
    details: { change: feature, to: state },
  })),
  'feature switch deleted': event('feature_switch_deleted', ({ details: { feature } }) => ({
    details: { remove: feature },
  })),
  'topic created': event('topic_created', ({ target, details: { topic } }) => ({
    ...named(target, topic),
    details: { add: 'topic' },
  })),
  'topic changed': event('topic_updated', ({ target, details: { topic, fields } }) => ({
    ...named(target, topic),
    ...says(`Changed ${fields.join(', ')}`),
  })),
  'topic deleted': event('topic_deleted', ({ target, details: { topic } }) => ({
    ...named(target, topic),
    details: { remove: 'topic' },
  })),
  'topics merged': event('topics_merged', ({ target, details: { topic, merged } }) => ({
    ...named(target, topic),
    details: { remove: merged },
  })),
  'settings changed': eventForEach(['application_setting_updated'], function* ({ details }) {
    const before = new Map<string, unknown>(Object.entries(details.before))
    for (const [name, value] of Object.entries(details.changes)) {
      const [from, to] = [textOf(before.get(name)), textOf(value)]
      const change = inWords(name)
      if (from !== to) yield { event: 'application_setting_updated', details: { change, from, to } }
    }
  }),
}
