import { projectRule } from '#platform/access/abilities.ts'
import { pageOf } from '#monitoring/error-tracking/errors/entity.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'

/** What happens to the errors of programs. Nobody chooses these events: those are told who watch the project. */
export const errorRules = readFacts(
  ['error found', 'error reopened', 'more errors found'],
  (fact): Notice | undefined => {
    const { namespace, target, name } = fact
    if (namespace === null || target === null) return undefined
    const notice = {
      event: null,
      watched: true,
      participants: false,
      mails: true,
    }
    const about = (title: string, id?: number): Notice['about'] => ({
      namespace,
      title,
      page: { ofSite: pageOf(fact.details.project_id, id) },
      readers: (access) => projectRule('read_error')(access),
    })
    if (name === 'more errors found') {
      const { count } = fact.details
      const says = `${count} more ${count === 1 ? 'error' : 'errors'} came within an hour.`
      return { ...notice, about: about('More errors'), says }
    }
    const { title, culprit, mails } = fact.details
    const told = { ...notice, mails, body: culprit === null ? title : `${title}\n${culprit}` }
    if (name === 'error found')
      return {
        ...told,
        about: about(`New error: ${title}`, target.id),
        says: 'A program reported a new error.',
      }
    const { release } = fact.details
    const where = release === null ? '' : ` in ${release}`
    return {
      ...told,
      about: about(`Error is back: ${title}`, target.id),
      says: `A resolved error is back${where}.`,
    }
  },
)
