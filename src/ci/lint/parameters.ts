import { Type } from 'typebox'
import { flag, text } from '#platform/http/schema.ts'

const dry_run = flag({ default: false, description: 'Imagines a pipeline, and applies rules.' })
const include_jobs = flag({ default: false, description: 'Whether the answer has the jobs.' })
const ref = (description: string) => Type.Optional(text({ max: 1_024, description }))

export const LintOfProject = Type.Object({
  content_ref: ref('The branch, tag or commit whose file is read; by default the default branch.'),
  sha: ref('Another name of `content_ref`.'),
  dry_run,
  dry_run_ref: ref(
    'The branch or tag that the pipeline is imagined for; by default the one whose file is read.',
  ),
  ref: ref('Another name of `dry_run_ref`.'),
  include_jobs,
})

export const LintOfContent = Type.Object({
  content: text({ max: 1_048_576, description: 'The configuration.' }),
  dry_run,
  include_jobs,
  ref: ref('The branch or tag that the pipeline is imagined for; by default the default branch.'),
})
