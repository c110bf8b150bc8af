import type { Setting } from '#platform/features/set-switch.ts'
import type { TokenKind } from '#platform/db/schema.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { Changes } from './changes.ts'

/** What is known of a kind of fact, besides its name. The type holds what each such fact tells. */
export interface Definition<Details> {
  /** Whether it counts as activity in the project where it happened. */
  readonly activity: boolean
  /** Never set; it carries the type. */
  readonly details?: Details
}

interface Renamed {
  readonly from: string
  readonly to: string
}

/** What was given, and what it made different where that is known. */
interface Changed {
  readonly fields: readonly string[]
  readonly changes?: Changes
}

/** A token of `user_id`, who is a bot where it is of a project or group. */
interface Token {
  readonly name: string
  readonly kind: TokenKind
  readonly user_id: number
}

interface Membership {
  readonly access_level: number
  readonly expires_at: string | null
}

/** Somebody by id, with the name they had then. */
interface Person {
  readonly id: number
  readonly username: string
}

/** Another issue, or noteable, than the one that the fact is about; `reference` as it is written there. */
interface OtherIssue {
  readonly issue_id: number
  /** What the other is, where it is a noteable of another kind. */
  readonly noun?: string
  readonly reference: string
}

/** What a note is on. */
interface NoteDetails {
  readonly noteable_type: string
  readonly noteable_id: number
  readonly internal: boolean
}

/** Which license it was. */
interface LicenseDetails {
  readonly plan: string
  readonly starts_at: string
  readonly expires_at: string
  readonly company: string
}

type Nothing = Record<string, never>

const fact = <Details>(): Definition<Details> => ({ activity: false })
const activity = <Details>(): Definition<Details> => ({ activity: true })

/**
 * Everything that can happen here: a noun and what was done to it. Details hold what a reader of the fact needs
 * later and could no longer look up (old values, names of what is gone), never a secret. Names stay for ever.
 */
export const definitions = {
  // People
  'user created': fact<{ username: string }>(),
  'user changed': fact<Changed>(),
  'user blocked': fact<{ username: string }>(),
  'user unblocked': fact<{ username: string }>(),
  'user banned': fact<{ username: string }>(),
  'user unbanned': fact<{ username: string }>(),
  'user activated': fact<{ username: string }>(),
  'user deactivated': fact<{ username: string }>(),
  'user approved': fact<{ username: string }>(),
  'user renamed': fact<Renamed>(),
  /** What the user is called at a provider of accounts; null for not at all. */
  'user identity changed': fact<{ provider: string; from: string | null; to: string | null }>(),
  'user deleted': fact<{ username: string; contributions_deleted: boolean }>(),
  'session started': fact<{ session_id: number }>(),
  'session ended': fact<{ session_id: number }>(),
  'other sessions ended': fact<{ kept_session_id: number; count: number }>(),
  /** Ends all sessions but the one that it was done in, if any. */
  'user password changed': fact<{ kept_session_id: number | null }>(),
  /** Without a name when there is no such account: people type passwords there, too. */
  'sign-in refused': fact<{ login: string | null }>(),
  'token created': fact<
    Token & { scopes: readonly string[]; expires_at: string | null; access_level: number | null }
  >(),
  'token rotated': fact<Token & { expires_at: string | null }>(),
  'token revoked': fact<Token>(),
  /** Somebody rotated a token that had been revoked: what was left of its family is revoked, too. */
  'token reuse refused': fact<Token>(),
  /** Told once for each of these numbers of days before its end. */
  'token expires soon': fact<{ name: string; expires_at: string; days: 30 | 7 | 1 }>(),
  'application created': fact<{ name: string; scopes: readonly string[]; confidential: boolean }>(),
  'application changed': fact<{ name: string; scopes: readonly string[]; confidential: boolean }>(),
  'application secret renewed': fact<{ name: string }>(),
  'application deleted': fact<{ name: string }>(),
  /** Somebody let an application act for them. */
  'application authorized': fact<{ name: string; user_id: number; scopes: readonly string[] }>(),
  /** It may not any more: by their wish, or because it gave its token back. */
  'application revoked': fact<{ name: string; user_id: number }>(),
  /** A code or refresh token was used twice, which ended every token that came of it. `what` it was. */
  'OAuth token reuse refused': fact<{ name: string; user_id: number; what: string }>(),

  // Places
  'namespace changed': fact<{ fields: readonly string[] }>(),
  'group created': fact<{ path: string }>(),
  'group changed': fact<Changed>(),
  'group renamed': fact<Renamed>(),
  'group transferred': fact<Renamed>(),
  'group archived': fact<{ path: string }>(),
  'group unarchived': fact<{ path: string }>(),
  'group shared': fact<{ group_id: number; access_level: number }>(),
  'group unshared': fact<{ group_id: number }>(),
  'group deleted': fact<{ path: string }>(),
  'project created': activity<{ path: string }>(),
  'project changed': fact<Changed>(),
  'project renamed': activity<Renamed>(),
  'project transferred': activity<Renamed>(),
  'project archived': activity<{ path: string }>(),
  'project unarchived': activity<{ path: string }>(),
  'project shared': fact<{ group_id: number; access_level: number }>(),
  'project unshared': fact<{ group_id: number }>(),
  'project deleted': fact<{ path: string }>(),
  'project starred': fact<Nothing>(),
  'project unstarred': fact<Nothing>(),
  'member added': fact<Membership & { user_id: number }>(),
  'member changed': fact<Membership & { user_id: number; before: Membership }>(),
  /** `below`: the namespaces below in which the membership ended with this one. */
  'member removed': fact<{ user_id: number; below: readonly number[] }>(),

  // Work
  'label created': activity<{ label: string }>(),
  'label changed': activity<{ label: string; fields: readonly string[] }>(),
  'label deleted': activity<{ label: string }>(),
  'label promoted': activity<{ label: string }>(),
  'milestone created': activity<{ title: string }>(),
  'milestone changed': activity<{ title: string; fields: readonly string[] }>(),
  'milestone closed': activity<{ title: string }>(),
  'milestone activated': activity<{ title: string }>(),
  'milestone deleted': activity<{ title: string }>(),
  'milestone promoted': activity<{ title: string }>(),
  'issue created': activity<{ iid: number; title: string }>(),
  'issue retitled': activity<Renamed>(),
  'issue description changed': activity<Nothing>(),
  'issue type changed': activity<Renamed>(),
  'issue assignees changed': activity<{ added: readonly Person[]; removed: readonly Person[] }>(),
  /** The ids of the labels. */
  'issue labels changed': activity<{ added: readonly number[]; removed: readonly number[] }>(),
  'issue milestone changed': activity<{ from: number | null; to: number | null }>(),
  'issue due date changed': activity<{ from: string | null; to: string | null }>(),
  'issue weight changed': activity<{ from: number | null; to: number | null }>(),
  'issue confidentiality changed': activity<{ confidential: boolean }>(),
  'issue lock changed': activity<{ locked: boolean }>(),
  'issue closed': activity<Nothing>(),
  'issue reopened': activity<Nothing>(),
  /** Another issue names this one. */
  'issue mentioned': fact<OtherIssue>(),
  /** `relation`: what this issue is to the other. */
  'issue linked': activity<OtherIssue & { relation: string }>(),
  'issue unlinked': activity<OtherIssue>(),
  /** In seconds; 0 takes the estimate back. */
  'issue time estimated': activity<{ seconds: number }>(),
  /** In seconds, negative when time was taken back; null when all of it was. */
  'issue time spent': activity<{ seconds: number | null }>(),
  /** Told of the issue that was there; the next of what it has become. The same for clones. */
  'issue moved': activity<OtherIssue>(),
  'issue moved here': activity<OtherIssue>(),
  'issue cloned': activity<OtherIssue>(),
  'issue cloned here': activity<OtherIssue>(),
  'issue deleted': activity<{ iid: number; title: string }>(),
  'note created': activity<NoteDetails>(),
  'note changed': activity<NoteDetails>(),
  'note deleted': activity<NoteDetails>(),
  'award emoji given': activity<{ emoji: string }>(),
  'award emoji taken back': activity<{ emoji: string }>(),

  // The instance
  'license added': fact<LicenseDetails>(),
  'license deleted': fact<LicenseDetails>(),
  'license usage exported': fact<Nothing>(),
  'topic created': fact<{ topic: string }>(),
  'topic changed': fact<{ topic: string; fields: readonly string[] }>(),
  'topic deleted': fact<{ topic: string }>(),
  /** Told of the target; `merged` is the name of the topic that is gone. */
  'topics merged': fact<{ topic: string; merged: string }>(),
  /** `before`: what the same settings were. */
  'settings changed': fact<{ changes: Partial<Settings>; before: Partial<Settings> }>(),
  'feature switch set': fact<{ feature: string; state: string; setting: Setting }>(),
  'feature switch deleted': fact<{ feature: string }>(),
}
