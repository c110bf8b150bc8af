import { activity, type DetailsOf, fact } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'

interface Titled {
  readonly title: string
}

export const snippetFacts = {
  'snippet created': activity<Titled>(),
  /** The names of the changed fields. */
  'snippet changed': activity<Titled & { readonly fields: readonly string[] }>(),
  'snippet files changed': activity<{ readonly paths: readonly string[] }>(),
  'snippet deleted': activity<Titled>(),
  /** Another noteable mentions this one. */
  'snippet mentioned': fact<{ about_id: number; noun: string; reference: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof snippetFacts> {}
}

export const auditedSnippet: AuditedFacts = {
  'snippet deleted': event('delete_snippet', ({ target, details: { title } }) => ({
    ...namedTarget(target, title),
    details: { remove: 'snippet', custom_message: `Deleted snippet ${title}` },
  })),
}

interface Identity {
  readonly id: number
  readonly namespace_id: number
}

/** The namespace and target of a domain event about a snippet. */
export const aboutSnippet = ({ id, namespace_id }: Identity) => ({
  namespace: namespace_id,
  target: { type: 'Snippet', id },
})
