/** The least that forwarding a request can cost. */
export default {
  fetch(request: Request): Promise<Response> {
    return fetch(ORIGIN + request.url.substring(request.url.indexOf('/', 8)), request)
  },
}
