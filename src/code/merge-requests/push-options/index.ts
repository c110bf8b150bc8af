import type { Feature } from '#platform/feature.ts'
import { afterPush } from '#code/git-transport/after-push.ts'
import { showAddresses } from './addresses.ts'
import { obeyOptions } from './obey-options.ts'

/** What pushes do with merge requests because somebody asks for it, and what they tell of them. */
export const mergeRequestPushOptions: Feature = {
  // The addresses come second, so that those of merge requests that were just opened are among them.
  extensions: [afterPush.with(obeyOptions), afterPush.with(showAddresses)],
}
