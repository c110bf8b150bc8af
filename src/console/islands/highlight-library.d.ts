declare module '@highlightjs/cdn-assets/es/highlight.min.js' {
  interface Highlighter {
    highlight(
      code: string,
      options: { language: string; ignoreIllegals: boolean },
    ): { readonly value: string }
    getLanguage(name: string): unknown
  }
  const hljs: Highlighter
  export default hljs
}
