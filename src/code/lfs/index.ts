import type { Feature } from '#platform/feature.ts'
import { gitCredentials } from '#code/git-http/authorize-git.ts'
import { lfsOverSsh } from '#code/git-ssh/serve.ts'
import { arrivalChecks } from '#code/git-transport/arrival-checks.ts'
import { missingObjects } from './check-push.ts'
import { answerOverSsh, lfsCredentials } from './over-ssh.ts'
import { lfsRoutes } from './routes.ts'
import { lfsSettings } from './settings.ts'

/** Git LFS: large files beside the repositories, by the batch API. */
export const lfs: Feature = {
  pages: [lfsRoutes],
  settings: lfsSettings,
  extensions: [
    gitCredentials.with(lfsCredentials),
    lfsOverSsh.with(answerOverSsh),
    arrivalChecks.with(missingObjects),
  ],
}
