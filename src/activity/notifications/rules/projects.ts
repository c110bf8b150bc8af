import { atLeast, both, readers } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'

/** What happens to projects, and in them. */
export const projectRules = readFacts(
  ['project transferred', 'project renamed', 'pipeline finished', 'release published'],
  (fact): Notice | undefined => {
    const { namespace } = fact
    if (namespace === null) return undefined
    switch (fact.name) {
      case 'project transferred':
      case 'project renamed':
        return {
          about: {
            namespace,
            title: 'Project was moved',
            page: '',
            readers: both(readers, atLeast('guest')),
          },
          event: 'moved_project',
          watched: true,
          participants: false,
          members: true,
          ofOneself: true,
          mails: true,
          says: `moved the project from ${fact.details.from} to ${fact.details.to}`,
        }
      case 'pipeline finished':
        return pipeline(namespace, fact.target, fact.details)
      case 'release published': {
        const { name, tag, description } = fact.details
        return {
          about: {
            namespace,
            title: `New release: ${name}`,
            page: `/-/releases/${encodeURIComponent(tag)}`,
            readers: inProjectFeature('releases', readers),
          },
          event: 'new_release',
          watched: true,
          participants: false,
          mails: true,
          says: `published the release ${name}`,
          body: description,
        }
      }
    }
  },
)

function pipeline(
  namespace: number,
  target: { readonly id: number } | null,
  {
    status,
    fixed,
    user_id,
    ref,
    sha,
    merge_request_id,
  }: {
    readonly status: 'success' | 'failed'
    readonly fixed: boolean
    readonly user_id: number
    readonly ref: string
    readonly sha: string
    readonly merge_request_id: number | null
  },
): Notice {
  const failed = status === 'failed'
  const outcome = failed ? 'failed' : fixed ? 'was fixed' : 'succeeded'
  return {
    about: {
      namespace,
      title: `Pipeline for ${ref} ${outcome}`,
      page: target === null ? `/-/commit/${sha}` : `/-/pipelines/${target.id}`,
      readers: inProjectFeature('builds', readers),
    },
    event: failed ? 'failed_pipeline' : fixed ? 'fixed_pipeline' : 'success_pipeline',
    // People hear of their own pipelines alone, and of those that did what they should if they want it.
    watched: failed || fixed,
    participants: false,
    concerns: [{ id: user_id, because: 'own' }],
    onlyConcerned: true,
    ...(failed || fixed ? { ofOneself: true as const } : {}),
    mails: true,
    says: `The pipeline for ${ref} (${sha.slice(0, 8)}) ${outcome}.`,
    ...(failed && merge_request_id !== null
      ? { todos: { on: merge_request_id, adds: [{ id: user_id, action: 'build_failed' as const }] } }
      : {}),
  }
}
