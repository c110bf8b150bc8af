import type { Feature } from '#platform/feature.ts'
import { userRemovalSteps } from '#identity/users/extension-points.ts'
import { awardEmojiFacts } from './facts.ts'
import { handOverAllAwards } from './hand-over-awards.ts'
import { awardEmojiRoutes } from './routes.ts'

/** Reactions to noteables and notes. */
export const awardEmoji: Feature = {
  areas: [
    {
      name: 'Emoji reactions',
      about: 'Reactions to issues and notes, with emoji.',
      segments: ['award_emoji'],
    },
  ],
  routes: [awardEmojiRoutes],
  facts: awardEmojiFacts,
  extensions: [userRemovalSteps.with(handOverAllAwards)],
}
