/** One message to one person. */
export interface Mail {
  readonly to: { readonly address: string; readonly name?: string }
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** With angle brackets. Without one the mail gets its own, which stays the same when it is sent again. */
  readonly messageId?: string
  /** The message that it answers, and those above it. */
  readonly inReplyTo?: string
  readonly references?: readonly string[]
  /** Further headers: `List-Id`, `List-Unsubscribe`, `X-GitLab-…`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The display name beside the sender's address. */
  readonly from?: string
}

/** A mail that {@link queueMails} takes. */
export interface KeyedMail extends Mail {
  /** Makes the mail unique: a second one with the same key is not sent. At most 255 characters. */
  readonly key?: string
}

/** Characters of a subject; what is longer ends in an ellipsis. */
const LONGEST_SUBJECT = 250
/** Characters of a text or an HTML part. */
const LONGEST_PART = 1_000_000

/** An address that a mail server could know. RFC 5321 allows 64 characters before the sign and 254 in all. */
export function isAddress(text: string): boolean {
  return (
    text.length <= 254 && /^[^\s@<>()[\],;:"\\\p{Cc}]{1,64}@[^\s@<>()[\],;:"\\\p{Cc}]{1,253}$/u.test(text)
  )
}

/** The mail within the limits of the outbox. What somebody wrote may be longer, and is no reason not to tell of it. */
export function bounded(mail: Mail): Mail {
  const { html, ...rest } = mail
  const subject = mail.subject.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return {
    ...rest,
    subject: cut(subject, LONGEST_SUBJECT),
    text: withoutNul(cut(mail.text, LONGEST_PART)),
    // HTML that ends anywhere is broken; the text says the same.
    ...(html !== undefined && html.length <= LONGEST_PART && { html: withoutNul(html) }),
  }
}

const cut = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** PostgreSQL stores no NUL. */
const withoutNul = (text: string) => text.replaceAll('\0', '')
