import { Type } from 'typebox'

export const RenderedText = Type.Object(
  { html: Type.String({ description: 'Safe to show.' }) },
  { title: 'RenderedText' },
)
