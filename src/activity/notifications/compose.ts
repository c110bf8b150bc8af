import { html } from '#platform/http/html.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Person } from './audience.ts'
import type { Reason } from './candidate.ts'
import type { Context } from './context.ts'

/** Everything that is the same in the mails of a notice. */
export interface MailContext {
  readonly context: Context
  /** The id of the event. */
  readonly event: number
  readonly actor: { readonly id: number; readonly name: string; readonly username: string } | null
  /** Where the web pages live. */
  readonly site: string
}

/** The most characters of a text in a mail; the page has the rest. */
const MAX_MAIL_TEXT = 20_000

/** Why somebody gets a mail, in words. */
const because: Readonly<Record<Reason, string>> = {
  mentioned: 'you were mentioned',
  assigned: 'you were assigned',
  review_requested: 'your review was requested',
  unassigned: 'you were unassigned',
  subscribed: 'you are subscribed',
  participating: 'you take part in it',
  watching: 'you watch it',
  custom: 'you chose to be told of this',
  own_activity: 'you asked to be told of your own activity',
}

/** Writes the mail of a notice for one person. @param unsubscribe the link that ends such mails. */
export function compose(told: MailContext, person: Person, reason: Reason, unsubscribe: string): Mail {
  const { context, site } = told
  const { noteable, note } = context
  const url = pageOf(told)
  const text = mailTextOf(told)
  const head = headline(told)
  const host = new URL(site).hostname
  const why = `You get this mail from ${host} because ${because[reason]}.`
  return {
    to: { address: person.email, name: person.name },
    from: told.actor?.name ?? host,
    subject: subjectOf(told),
    text: [
      head,
      ...(text === '' ? [] : ['', text]),
      '',
      '-- ',
      `View it: ${url}`,
      why,
      `Unsubscribe: ${unsubscribe}`,
      '',
    ].join('\n'),
    html: html`<!doctype html>
      <html lang="en">
        <body>
          <p>${head}</p>
          ${text !== '' && html`<div style="white-space: pre-wrap">${text}</div>`}
          <hr />
          <p style="color: #666; font-size: small">
            <a href="${url}">View it on ${host}</a>. ${why}
            <a href="${unsubscribe}">Unsubscribe</a>
          </p>
        </body>
      </html>`.text,
    ...threading(told, host),
    headers: {
      ...listHeaders(told, host, unsubscribe),
      'X-GitLab-NotificationReason': reason,
      ...(noteable === undefined ? {} : headersOf(told)),
      ...(note === undefined
        ? {}
        : { 'X-GitLab-Note-ID': String(note.id), 'X-GitLab-Discussion-ID': note.discussion }),
    },
  }
}

/** `Project | Title (#12)`; what follows the first mail of a thread answers it. */
function subjectOf({ context: { place, noteable, notice } }: MailContext): string {
  if ('namespace' in notice.about) return `${place.name} | ${notice.about.title}`
  const subject = `${place.name} | ${noteable?.title ?? ''} (${noteable?.reference ?? ''})`
  return notice.opens ? subject : `Re: ${subject}`
}

function headline({ context: { notice }, actor }: MailContext): string {
  // What the instance says by itself is a sentence already.
  if (actor === null || /[.]$/.test(notice.says)) return notice.says
  return `${actor.name} (@${actor.username}) ${notice.says}:`
}

/** What somebody wrote, as far as the mail shows it. */
function mailTextOf({ context: { notice, note, noteable } }: MailContext): string {
  const text = notice.body ?? note?.body ?? (notice.text === 'own' ? noteable?.description : null) ?? ''
  return text.length <= MAX_MAIL_TEXT ? text : `${text.slice(0, MAX_MAIL_TEXT).toWellFormed()}…`
}

function pageOf({ context: { notice, noteable, note, place }, site }: MailContext): string {
  if ('namespace' in notice.about) {
    const { page } = notice.about
    if (typeof page === 'object') return `${site}${page.ofSite}`
    const path = place.kind === 'group' ? `groups/${place.full_path}` : place.full_path
    return `${site}/${path}${page}`
  }
  return `${site}/${noteable?.page ?? ''}${note === undefined ? '' : `#note_${note.id}`}`
}

/** One thread for each noteable. A reply to a note comes below that note. */
function threading({ context: { notice, noteable, note }, event }: MailContext, host: string): Partial<Mail> {
  if (noteable === undefined) return { messageId: `<event_${event}@${host}>` }
  const root = `<noteable_${noteable.id}@${host}>`
  if (notice.opens) return { messageId: root }
  const messageId = note === undefined ? `<event_${event}@${host}>` : `<note_${note.id}@${host}>`
  if (note?.answers == null) return { messageId, inReplyTo: root, references: [root] }
  const above = `<note_${note.answers}@${host}>`
  return { messageId, inReplyTo: above, references: [root, above] }
}

function listHeaders(
  { context: { place }, site }: MailContext,
  host: string,
  unsubscribe: string,
): Record<string, string> {
  const { full_path, project_id, kind } = place
  const id = [project_id ?? place.id, ...full_path.split('/').toReversed()].join('.')
  const page = `${site}/${kind === 'group' ? 'groups/' : ''}${full_path}`
  return {
    'List-Id': `${full_path} <${id}.${host}>`,
    'List-Archive': `<${page}>`,
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    ...(project_id === null
      ? { 'X-GitLab-Group-Id': String(place.id), 'X-GitLab-Group-Path': full_path }
      : {
          'X-GitLab-Project': place.name,
          'X-GitLab-Project-Id': String(project_id),
          'X-GitLab-Project-Path': full_path,
        }),
  }
}

/** `X-GitLab-Issue-ID`, and so on. */
function headersOf({ context: { kind, noteable } }: MailContext): Record<string, string> {
  if (kind === undefined || noteable === undefined) return {}
  const prefix = `X-GitLab-${kind.type.replace(/::.*$/, '')}`
  return {
    [`${prefix}-ID`]: String(noteable.id),
    ...(noteable.iid === null ? {} : { [`${prefix}-IID`]: String(noteable.iid) }),
    ...(noteable.state === null ? {} : { [`${prefix}-State`]: noteable.state }),
  }
}
