import { type AuditedFacts, event, says } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

export const backgroundJobFacts = {
  'background jobs retried': fact<{ count: number }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof backgroundJobFacts> {}
}

export const auditedBackgroundJobs: AuditedFacts = {
  'background jobs retried': event('background_jobs_retried', ({ details: { count } }) =>
    says(`Retried ${count} background ${count === 1 ? 'job' : 'jobs'}`),
  ),
}
