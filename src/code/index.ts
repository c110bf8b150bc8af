import type { Feature } from '#platform/feature.ts'
import { commits } from './commits/index.ts'
import { commitStatuses } from './commits/statuses/index.ts'
import { files } from './files/index.ts'
import { gitHttp } from './git-http/index.ts'
import { repositories } from './repositories/index.ts'
import { repositoryReading } from './repositories/reading.ts'

/** Repositories, and everything that is made of commits. */
export const code: readonly Feature[] = [
  repositories,
  gitHttp,
  repositoryReading,
  files,
  commits,
  commitStatuses,
]
