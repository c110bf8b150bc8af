const DASHED = /^(\/api\/v4\/(?:groups|projects)\/[^/?]+)\/-(\/search)(?=$|[.?])/

/** Some clients write `/projects/:id/-/search`. */
export const searchUrl = (url: string): string => url.replace(DASHED, '$1$2')
