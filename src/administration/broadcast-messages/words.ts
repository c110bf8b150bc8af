/** Where a message stands: above the page, or small beside it. */
export const broadcastTypes = ['banner', 'notification'] as const
export type BroadcastType = (typeof broadcastTypes)[number]

/** How a message looks. */
export const broadcastThemes = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const
export type BroadcastTheme = (typeof broadcastThemes)[number]
