import { type Static, Type } from 'typebox'
import { hash, integer, oneOf, text } from '#platform/http/schema.ts'

const contents = (description: string) => hash(text({ max: 1_000_000 }), { max: 100, description })

/** What a test lets a job do. */
export const JobRunParameters = Type.Object({
  status: oneOf(['running', 'success', 'failed', 'canceled']),
  log: Type.Optional(text({ max: 1_000_000, description: 'What is added to the log.' })),
  coverage: Type.Optional(
    Type.String({
      maxLength: 20,
      pattern: '^(?:100(?:\\.0+)?|\\d{1,2}(?:\\.\\d+)?)$',
      description: 'Percent; by default what the expression of the job finds in the log.',
    }),
  ),
  failure_reason: Type.Optional(text({ description: '`script_failure` by default.' })),
  artifacts: Type.Optional(contents('The files of the archive, by their paths.')),
  reports: Type.Optional(contents('Reports, such as `junit`, by their kinds.')),
})
export type JobRun = Static<typeof JobRunParameters>
export const ByTestedJob = Type.Object({ id: integer() })
