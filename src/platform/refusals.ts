import { knownTexts, nameOfMissing, phrases, type RefusalCode } from './known-texts.ts'

/** What is wrong with a record: attribute → sentences without their subject. */
export type Attributes = Readonly<Record<string, readonly string[]>>

/** A sentence that clients know, with its code. */
export interface KnownSentence {
  readonly code: RefusalCode
  readonly text: string
}

/** The sentence of a code. @param more what follows it */
export const known = (code: RefusalCode, more = ''): KnownSentence => ({
  code,
  text: knownTexts[code] + more,
})

interface Further {
  readonly code?: RefusalCode | undefined
  /** What clients read beside the sentence, such as `error_code`. */
  readonly fields?: Readonly<Record<string, string>>
  /** For the log. */
  readonly cause?: unknown
}

/**
 * Why something was not done, for whoever asked for it. Verbs throw one of the classes below, mostly by the functions
 * at the end. They know nothing of HTTP: src/platform/http/errors.ts makes answers of them.
 */
export abstract class Refusal extends Error {
  override readonly name: string = 'Refusal'
  abstract readonly kind: keyof typeof phrases
  readonly says: string | readonly string[] | Attributes
  /** The reason, where the sentence is one that clients know. */
  readonly code: RefusalCode | undefined
  readonly fields: Readonly<Record<string, string>>

  constructor(says: string | readonly string[] | Attributes, { code, fields = {}, cause }: Further = {}) {
    super(typeof says === 'string' ? says : JSON.stringify(says))
    this.says = says
    this.code = code
    this.fields = fields
    if (cause !== undefined) this.cause = cause
  }
}

/** Nobody can do what was asked for: something in it is missing, unreadable, or not for this record. */
export class Invalid extends Refusal {
  readonly kind = 'invalid'
  /** What is wrong with each attribute; undefined where the refusal is a sentence. */
  readonly attributes: Attributes | undefined

  constructor(says: string | Attributes, further?: Further) {
    super(says, further)
    this.attributes = typeof says === 'string' ? undefined : says
  }
}

/** Somebody else has these values already. */
export class Taken extends Invalid {
  constructor(attributes: readonly string[]) {
    super(Object.fromEntries(attributes.map((name) => [name, [knownTexts.taken]])))
  }
}

/** Nobody knows who asks. */
export class Unidentified extends Refusal {
  readonly kind = 'unidentified'
}

/** The caller's token was right once. */
export class InvalidToken extends Unidentified {
  readonly description: string
  constructor(description: string) {
    super(phrases.unidentified, { fields: { error: 'invalid_token', error_description: description } })
    this.description = description
  }
}

/** The credential is good, but never for this. So nobody has guessed one, as with {@link Unidentified}. */
export class WrongCredential extends Refusal {
  readonly kind = 'unidentified'
  constructor(because: string) {
    super(phrase('unidentified', because))
  }
}

/** The caller may know of it, and not do it. */
export class NotAllowed extends Refusal {
  readonly kind = 'not allowed'
}

/** It is not there, or not for the caller. */
export class NotFound extends Refusal {
  readonly kind = 'not found'
}

/** What is named does not take this: not in its state, or never. */
export class NotPossible extends Refusal {
  readonly kind = 'not possible'
}

/** Somebody else was faster, or it is there already. */
export class Conflict extends Refusal {
  readonly kind = 'conflict'
}

/** It can be read, and makes no sense here. */
export class Unprocessable extends Refusal {
  readonly kind = 'unprocessable'
}

/** It takes more than one request may have. */
export class TooLarge extends Refusal {
  readonly kind = 'too large'
  constructor(because?: string, cause?: unknown) {
    super(phrase('too large', because), { cause })
  }
}

/** The caller may do this only so often. */
export class TooOften extends Refusal {
  readonly kind = 'too often'
  /** Whole seconds. */
  readonly retryAfter: number
  constructor(retryAfter: number) {
    super(knownTexts['too-often'], { code: 'too-often' })
    this.retryAfter = retryAfter
  }
}

/** It would succeed later, unchanged. */
export class Busy extends Refusal {
  readonly kind = 'busy'
  /** Whole seconds. */
  readonly retryAfter: number
  constructor(because: string | undefined, retryAfter = 1, cause?: unknown) {
    super(phrase('busy', because), { cause })
    this.retryAfter = retryAfter
  }
}

/** A disk or a store has no room left. */
export class Full extends Refusal {
  readonly kind = 'full'
  constructor(because: string, cause: unknown) {
    super(phrase('full', because), { cause })
  }
}

/** Whether the same may succeed later without anybody changing it, so that a job tries again. */
export const isPassing = (error: unknown): boolean => error instanceof Busy || error instanceof Full

function phrase(kind: keyof typeof phrases, because: string | undefined): string {
  return because === undefined ? phrases[kind] : `${phrases[kind]} - ${because}`
}

const whole = (says: string | KnownSentence): [text: string, further?: Further] =>
  typeof says === 'string' ? [says] : [says.text, { code: says.code }]

/** Something in the request cannot be; `because` follows the usual words. */
export const badRequest = (because?: string) => new Invalid(phrase('invalid', because))
/**
 * The same with a whole sentence.
 * @param detail for people. Some clients read `error` first, so it begins with the sentence that they match.
 */
export function refusal(says: string | KnownSentence, detail?: string): Invalid {
  const [message, further] = whole(says)
  return new Invalid(message, {
    ...further,
    ...(detail !== undefined && { fields: { error: `${message} (${detail})` } }),
  })
}
/** A record refuses a change: attribute → sentences without their subject. */
export const invalid = (attributes: Attributes) => new Invalid(attributes)
export const taken = (...attributes: readonly string[]) => new Taken(attributes)
export const unauthorized = (because?: string) => new Unidentified(phrase('unidentified', because))
export const forbidden = (because?: string) => new NotAllowed(phrase('not allowed', because))
/** With a name, `404 Project Not Found` as clients expect it; without one, the plain text. */
export const notFound = (what?: string) =>
  new NotFound(what === undefined ? phrases['not found'] : nameOfMissing(what))
/** It was never here, and something else took its place. */
export const replaced = (because: string) => new NotFound(phrase('not found', because))
export const notPossible = (says: string | KnownSentence = phrases['not possible']) =>
  new NotPossible(...whole(says))
export const conflict = (says: string | KnownSentence = phrases.conflict) => new Conflict(...whole(says))
export const unprocessable = (says: string | KnownSentence = phrases.unprocessable) =>
  new Unprocessable(...whole(says))
/** A limit of the application was exceeded; `retryAfter` in whole seconds. */
export const tooManyRequests = (retryAfter = 60) => new TooOften(retryAfter)
/** The request would succeed later; `retryAfter` in whole seconds. */
export const unavailable = (because?: string, retryAfter = 1) => new Busy(because, retryAfter)

/** What is wrong with one parameter. */
export interface Problem {
  readonly name: string
  /** Completes the sentence that starts with the name: `is missing`. */
  readonly text: string
  readonly missing: boolean
}

/** Parameters that are missing or unreadable, in the two forms that clients know. */
export function invalidParameters(problems: readonly Problem[]): Invalid {
  const fields = { error: problems.map(({ name, text }) => `${name} ${text}`).join(', ') }
  const missing = problems.find((problem) => problem.missing)
  if (missing) {
    const [first = missing.name] = missing.name.split(', ')
    return new Invalid(`400 (Bad request) "${first}" not given`, { fields })
  }
  const attributes: Record<string, string[]> = {}
  for (const { name, text } of problems) (attributes[name] ??= []).push(text)
  return new Invalid(attributes, { fields })
}
