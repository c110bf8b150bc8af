import type { ItemKind } from '#planning/noteables/items/kind.ts'
import { findBareIssue } from './bare-issue.ts'
import { IssueSingle } from './entity.ts'
import { aboutIssue } from './facts-about.ts'
import { issueIdentity } from './identity.ts'
import { peopleOfIssue } from './people.ts'
import { audienceOf, presentSingleIssue } from './present.ts'
import { lockIssue } from './lock-issue.ts'
import { findIssue, type SingleIssueRow } from './queries.ts'

/** Issues as items that people take part in. */
export const issueItems: ItemKind<SingleIssueRow> = {
  ...issueIdentity,
  abilities: { read: 'read_issue', subscribe: 'subscribe_issue', trackTime: 'admin_issue' },
  findBare: findBareIssue,
  find: findIssue,
  lock: lockIssue,
  people: peopleOfIssue,
  participants: 'The author, the assignees',
  facts: {
    estimated: (issue, seconds) => ({
      ...aboutIssue(issue),
      name: 'issue time estimated',
      details: { seconds },
    }),
    spent: (issue, seconds) => ({ ...aboutIssue(issue), name: 'issue time spent', details: { seconds } }),
  },
  entity: IssueSingle,
  present: (req, row) => presentSingleIssue(row, audienceOf(req)),
}
