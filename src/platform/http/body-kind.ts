/** How names become parameters: with brackets that nest, or as OAuth wants them, each once. */
export type Names = 'nested' | 'plain'

/** How a route takes its body. */
export type BodyKind =
  /** As parameters: JSON, a form or multipart, within what the schema of the route allows. */
  | { readonly as: 'parameters'; readonly names: Names }
  /** As bytes of any size that pass through, by `request.bodyStream()`. */
  | { readonly as: 'stream' }
  /** As bytes in memory, by `request.bodyBytes()`. */
  | { readonly as: 'raw'; readonly maxBytes: number }

/** What a route takes unless it says otherwise. */
export const parameters: BodyKind = { as: 'parameters', names: 'nested' }
/** For routes whose body is parameters as RFC 6749 has them. */
export const plainParameters: { readonly body: BodyKind } = { body: { as: 'parameters', names: 'plain' } }
/** For routes that pass a body on, of any size and content type. */
export const streamed: { readonly body: BodyKind } = { body: { as: 'stream' } }
/** For routes that want all bytes at once, of any content type. */
export const raw = (maxBytes: number): { readonly body: BodyKind } => ({ body: { as: 'raw', maxBytes } })
