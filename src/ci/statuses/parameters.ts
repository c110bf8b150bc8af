import { Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import { ById, flag, integer, nullable, oneOf, text } from '#platform/http/schema.ts'
import { commitStatusOrder } from './queries.ts'

export const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const

export const CommitStatusFilter = Type.Object({
  ...orderParameters(commitStatusOrder),
  ref: Type.Optional(text({ max: 1_024, description: 'A branch or tag.' })),
  stage: Type.Optional(text({ description: 'All statuses are in the stage `external`.' })),
  name: Type.Optional(text()),
  pipeline_id: Type.Optional(integer()),
  all: flag({ default: false, description: 'Also statuses that a later one of the same name has replaced.' }),
})

export const ByStatusCommit = Type.Object({
  ...ById.properties,
  sha: text({ max: 64, description: 'The id of a commit.' }),
})

export const NewCommitStatus = Type.Object({
  state: oneOf(states),
  ref: Type.Optional(
    text({
      description: 'The branch or tag. By default the default branch, or another one that has the commit.',
    }),
  ),
  name: Type.Optional(text({ description: 'What was checked; `default` by default.' })),
  context: Type.Optional(text({ description: 'Another name of `name`.' })),
  target_url: Type.Optional(
    nullable(text({ max: 2_048, description: 'Where people see more, by http or https.' })),
  ),
  description: Type.Optional(nullable(text())),
  coverage: Type.Optional(
    Type.String({
      maxLength: 20,
      pattern: '^\\s*$|^(?:100(?:\\.0+)?|\\d{1,2}(?:\\.\\d+)?)$',
      description: 'Percent.',
    }),
  ),
  pipeline_id: Type.Optional(integer({ description: 'The `pipeline_id` of other statuses of the commit.' })),
})
