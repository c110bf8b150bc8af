import type { Feature } from '#platform/feature.ts'
import { gitCredentials } from './authorize-git.ts'
import { deployTokensForGit } from './deploy-tokens.ts'
import { gitUrl } from './paths.ts'
import { gitRoutes } from './routes.ts'

/** Git over HTTP: clone, fetch and push. */
export const gitHttp: Feature = {
  pages: [gitRoutes],
  rewrites: [gitUrl],
  extensions: [gitCredentials.with(deployTokensForGit)],
}
