// The reference: Swagger UI on our own document, whose fields are filled with what is known of a running game.

const CREATORS = /\/(start|abandonment)$/;

export class Reference {
  constructor(told) {
    this.told = told;
    this.known = {};
    this.places = Object.fromEntries(
      Object.entries(told.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => [operationId, [path, method]])),
    );
    this.ui = SwaggerUIBundle({
      spec: told,
      dom_id: "#reference",
      validatorUrl: null, // it would send the document's address to somebody else
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
      requestInterceptor: (request) => this.asCreator(request),
    });
    this.seen = new WeakSet();
    new MutationObserver(() => this.fillOpened()).observe(document.getElementById("reference"), { childList: true, subtree: true });
  }

  // A body that is opened begins with an example; then it is our turn to fill it, once.
  fillOpened() {
    for (const text of document.querySelectorAll("#reference textarea.body-param__text")) {
      if (this.seen.has(text)) continue;
      this.seen.add(text);
      this.fillBody(text.closest(".opblock").id.split("-").at(-1));
    }
  }

  // What only the creator may do is asked for with the creator's token, of the same game.
  asCreator(request) {
    const { pathname } = new URL(request.url, location.href);
    const creators = request.method === "DELETE" || CREATORS.test(pathname);
    const { game_id: game, token, creator_token: creator } = this.known;
    if (creators && game && pathname.includes(game) && request.headers.Authorization === `Bearer ${token}`) {
      request.headers.Authorization = `Bearer ${creator}`;
    }
    return request;
  }

  // Take over what is known: parameters of these names, the token, and the bodies of what a player does next.
  know(known) {
    const before = this.known;
    this.known = { ...known };
    if (known.token && known.token !== before.token) this.ui.preauthorizeApiKey("token", known.token);
    if (known.api_key && known.api_key !== before.api_key) this.ui.preauthorizeApiKey("apiKey", known.api_key);
    for (const [path, methods] of Object.entries(this.told.paths)) {
      for (const [method, operation] of Object.entries(methods)) this.fillPath(path, method, operation, before);
    }
    for (const operation of Object.keys(this.bodies())) this.fillBody(operation);
  }

  fillPath(path, method, operation, before) {
    for (const { name, in: place } of (operation.parameters ?? []).map((each) => this.resolved(each))) {
      const value = place === "path" ? this.known[name] : undefined;
      if (value !== undefined && value !== before[name]) {
        this.ui.specActions.changeParam([path, method], name, place, String(value), false);
      }
    }
  }

  // A part of the document; the component where it refers to one.
  resolved(part) {
    return part.$ref ? part.$ref.split("/").slice(1).reduce((found, name) => found[name], this.told) : part;
  }

  fillBody(operation) {
    const body = this.bodies()[operation];
    if (!body) return;
    const value = JSON.stringify(body, null, 2);
    this.ui.oas3Actions.setRequestBodyValue({ value, pathMethod: this.places[operation] });
  }

  bodies() {
    const { version, move, create } = this.known;
    const bodies = { createGame: create };
    if (version !== undefined && move) {
      bodies.applyMove = { expected_version: version, move };
      bodies.askBot = { expected_version: version, bot: { bot: "rules" } };
    }
    return bodies;
  }
}
