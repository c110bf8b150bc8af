import type { Feature } from '#platform/feature.ts'
import { gitHttp } from './git-http/index.ts'
import { repositories } from './repositories/index.ts'

/** Repositories, and everything that is made of commits. */
export const code: readonly Feature[] = [repositories, gitHttp]
