import type { Rule } from '#platform/access/access-context.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { FactReader } from '#planning/noteables/fact-reader.ts'
import type { CustomEvent } from '#activity/notification-settings/events.ts'

/** What a domain event means to people: whom it concerns, and what they are told. */
export interface Notice {
  readonly about: Subject
  /** What people at the level `custom` choose it by; null when they cannot. */
  readonly event: CustomEvent | null
  /** Whether people who watch the place are told. */
  readonly watched: boolean
  /** Whether those who take part are told: who wrote it, works on it, commented on it or is mentioned in it. */
  readonly participants: boolean
  /** People whom it concerns by themselves. */
  readonly concerns?: readonly Concern[]
  /** The text that came with it: a note, or what somebody wrote about the noteable itself. */
  readonly text?: { readonly note: number } | 'own'
  /** Those who were mentioned in the text apart from its being written: nobody else is told. */
  readonly mentioned?: readonly number[]
  /** The labels whose subscribers are told: those of the noteable, or some. */
  readonly labels?: 'all' | readonly number[]
  /** Whether those who may approve the merge request are told, if they chose `approver`. */
  readonly approvers?: true
  /** Whether all members of the place are told. */
  readonly members?: true
  /** Whether it concerns nobody else than these people. */
  readonly onlyConcerned?: true
  /** Whether people at the level `participating` are told, and its author, too. */
  readonly ofOneself?: true
  /** What was done, after the name of who did it: `closed issue #12`. */
  readonly says: string
  /** More than the noteable's text has to say. */
  readonly body?: string | null
  /** Whether it begins the thread of mails about the noteable. */
  readonly opens?: true
  /** Whether mails are sent; otherwise it only changes to-do lists. */
  readonly mails: boolean
  /** The same for mails about the same thing: nobody gets two. By default it is the event's own. */
  readonly key?: string
  readonly todos?: TodoEffects
}

export type Subject =
  | { readonly noteable: number }
  /** Something in a project: its page there, or anywhere on the site, and who may read it. */
  | {
      readonly namespace: number
      readonly title: string
      readonly page: string | { readonly ofSite: string }
      readonly readers: Rule
    }

/** Why somebody is concerned. */
export type Concern = {
  readonly id: number
  readonly because: 'assigned' | 'review_requested' | 'unassigned' | 'own'
}

/** What becomes of to-do lists. */
export interface TodoEffects {
  /** Whether the author has now done what there was to do about the noteable. */
  readonly resolves?: true
  /** People who get a to-do, whatever they want mails of. */
  readonly adds?: readonly { readonly id: number; readonly action: TodoAction }[]
  /** Whether those who are mentioned get one. */
  readonly mentioned?: true
  /** Whether those whose approval a rule asks for get one. */
  readonly approvers?: true
  /** Whether those whom the merge request is assigned to get one: it was reviewed. */
  readonly reviewed?: true
  /** The noteable that they are about, when it is not the notice's own. */
  readonly on?: number
}

export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'directly_addressed'
  | 'review_requested'
  | 'review_submitted'
  | 'approval_required'
  | 'build_failed'
  | 'unmergeable'

/** What domain events mean to people. Features that bring something to be told of add theirs. */
export const notificationRules = new ExtensionPoint<FactReader<Notice>>('the rules of notifications')
