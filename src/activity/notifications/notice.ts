import type { Rule } from '#platform/access/access-context.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { FactReader } from '#planning/noteables/fact-reader.ts'
import type { CustomEvent } from '#activity/notification-settings/events.ts'

/** A notice about a domain event: who is notified, and of what. */
export interface Notice {
  readonly about: Subject
  /** The event that people at the level `custom` select to get it; null when they cannot select it. */
  readonly event: CustomEvent | null
  /** Whether it goes to people who watch the project or group. */
  readonly watched: boolean
  /** Whether it goes to the participants: the author, assignees, commenters and mentioned people. */
  readonly participants: boolean
  /** People whom it goes to for a reason of their own. */
  readonly concerns?: readonly Concern[]
  /** The text that the event brought: a note, or the description of the noteable itself. */
  readonly text?: { readonly note: number } | 'own'
  /** People whom a later change of the text mentions: the notice goes to them alone. */
  readonly mentioned?: readonly number[]
  /** The labels whose subscribers get it: those of the noteable, or some of them. */
  readonly labels?: 'all' | readonly number[]
  /** Whether it goes to people who may approve the merge request and selected `approver`. */
  readonly approvers?: true
  /** Whether it goes to all members of the project or group. */
  readonly members?: true
  /** Whether it goes to these people alone. */
  readonly onlyConcerned?: true
  /** Whether it also goes to people at the level `participating`, and to its author. */
  readonly ofOneself?: true
  /** The action as a sentence without its subject: `closed issue #12`. */
  readonly says: string
  /** Text of the mail besides that of the noteable. */
  readonly body?: string | null
  /** Whether it begins the thread of mails about the noteable. */
  readonly opens?: true
  /** Whether mails are sent; otherwise it only changes to-do lists. */
  readonly mails: boolean
  /** Notices with the same key give each person one mail. By default each event has its own key. */
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

/** Why somebody gets a notice. */
export type Concern = {
  readonly id: number
  readonly because: 'assigned' | 'review_requested' | 'unassigned' | 'own'
}

/** How a notice changes to-do lists. */
export interface TodoEffects {
  /** Whether the to-dos of the author about the noteable are done now. */
  readonly resolves?: true
  /** People who get a to-do, whatever mails they chose to get. */
  readonly adds?: readonly { readonly id: number; readonly action: TodoAction }[]
  /** Whether mentioned people get a to-do. */
  readonly mentioned?: true
  /** Whether the approvers whom a rule names get a to-do. */
  readonly approvers?: true
  /** Whether the assignees of the merge request get a to-do, because it was reviewed. */
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

/** The rules that make notices of domain events. Features add the rules for their own events. */
export const notificationRules = new ExtensionPoint<FactReader<Notice>>('the rules of notifications')
