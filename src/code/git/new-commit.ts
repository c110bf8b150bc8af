import type { Commit } from './commit.ts'
import type { PackWriter } from './pack-writer.ts'

/** Who writes a commit, and when. */
export interface CommitSignature {
  readonly name: string
  readonly email: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** Such as `+0200`; by default UTC. */
  readonly zone?: string
}

export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: CommitSignature
  readonly committer: CommitSignature
  readonly message: string
}

/** The author of a commit, for another one that keeps them. */
export function sameAuthor({ author }: Pick<Commit, 'author'>): CommitSignature {
  const zone = author.at.slice(-6).replace(':', '')
  return { name: author.name, email: author.email, time: author.time * 1000, zone }
}

/** Adds a commit to a pack, with its message as it is but for zero bytes, which git does not take. @returns its id */
export function addCommit(
  pack: PackWriter,
  { tree, parents, author, committer, message }: NewCommit,
): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signatureOf(author)}`,
    `committer ${signatureOf(committer)}`,
  ]
  return pack.add('commit', Buffer.from(`${lines.join('\n')}\n\n${message.replaceAll('\0', '')}`))
}

/** Adds an annotated tag to a pack. @returns its id */
export function addTag(
  pack: PackWriter,
  tag: {
    readonly name: string
    readonly target: string
    readonly targetType: string
    readonly tagger: CommitSignature
    readonly message: string
  },
): string {
  const lines = [
    `object ${tag.target}`,
    `type ${tag.targetType}`,
    `tag ${tag.name}`,
    `tagger ${signatureOf(tag.tagger)}`,
  ]
  return pack.add('tag', Buffer.from(`${lines.join('\n')}\n\n${cleanMessage(tag.message)}`))
}

function signatureOf({ name, email, time, zone = '+0000' }: CommitSignature): string {
  const seconds = Math.max(0, Math.floor(time / 1000))
  return `${crumbless(name) || crumbless(email) || 'unknown'} <${crumbless(email)}> ${seconds} ${zone}`
}

/** Git keeps neither these characters in names nor blanks and dots around them. */
function crumbless(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[<>\0-\x1f\x7f]/g, '').replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, '')
}

/** The message of a tag ends with a line break, as those that `git tag` writes. */
const cleanMessage = (message: string): string => `${message.replaceAll('\0', '').trimEnd()}\n`
