import { beginningOf, type Extent, parseSignature, readHeaders, type Signature, WHOLE } from './commit.ts'

/** An annotated tag. */
export interface Tag {
  readonly id: string
  /** What it tags, and the type of that. */
  readonly target: string
  readonly targetType: string
  readonly tagger: Signature | undefined
  /** The message without a signature, or its beginning. */
  readonly message: string
  readonly signature: string | undefined
  /** What is signed: everything before the signature. Undefined without a signature. */
  readonly signed: Buffer | undefined
}

const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m

/** Reads a tag object. Nothing here throws, whatever a client has pushed. */
export function parseTag(id: string, content: Buffer, { isCut, share }: Extent = WHOLE): Tag {
  const { values, message: read } = readHeaders(content)
  // A signature is at the end, so there is none in a beginning.
  const message = beginningOf(read, share)
  const isWhole = !isCut && message.length === read.length
  const text = message.toString('utf8').replaceAll('\0', '')
  const at = isWhole ? SIGNATURE.exec(text)?.index : undefined
  // In bytes: one character each.
  const end = at === undefined ? undefined : SIGNATURE.exec(message.toString('latin1'))?.index
  const tagger = values.get('tagger')?.[0]
  return {
    id,
    target: values.get('object')?.[0] ?? '',
    targetType: values.get('type')?.[0] ?? '',
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
    message: at === undefined ? text : text.slice(0, at),
    signature: at === undefined ? undefined : text.slice(at),
    signed: end === undefined ? undefined : content.subarray(0, content.length - message.length + end),
  }
}
