/** How names become parameters: `nested` reads brackets, `plain` allows each name once, as OAuth requires. */
export type Names = 'nested' | 'plain'

/** How a route accepts its body. */
export type BodyKind =
  /** As parameters: JSON, a form or multipart, within what the route's schema allows, or within so many bytes. */
  | {
      readonly as: 'parameters'
      readonly names: Names
      readonly maxBytes?: number
      /** Characters of all names and texts together, without files. */
      readonly maxCharacters?: number
    }
  /** As a stream of any size, by `request.bodyStream()`. */
  | { readonly as: 'stream' }
  /** As bytes in memory, by `request.bodyBytes()`, once the route asks for them. */
  | { readonly as: 'raw'; readonly maxBytes: number }

/** What a route accepts unless it declares otherwise. */
export const parameters: BodyKind = { as: 'parameters', names: 'nested' }
/** For routes whose body is parameters in the form of RFC 6749. */
export const plainParameters: { readonly body: BodyKind } = { body: { as: 'parameters', names: 'plain' } }
/** For routes that take any parameters, such as the forms of a page, which it passes on to the API. */
export const anyParameters = (most: {
  readonly maxBytes: number
  readonly maxCharacters: number
}): { readonly body: BodyKind } => ({ body: { as: 'parameters', names: 'nested', ...most } })
/** For routes that pass a body on, of any size and content type. */
export const streamed: { readonly body: BodyKind } = { body: { as: 'stream' } }
/** For routes that need all bytes at once, of any content type. */
export const raw = (maxBytes: number): { readonly body: BodyKind } => ({ body: { as: 'raw', maxBytes } })
