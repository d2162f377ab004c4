"""The backend of a product: its users talk with an agent in their own page, and have no account of the service."""

import os
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import uvicorn
from fastapi import Cookie, FastAPI, HTTPException, Response
from fastapi.staticfiles import StaticFiles

API_URL = os.environ.get("API_URL", "http://127.0.0.1:3000")
API_KEY = os.environ.get("API_KEY")
PORT = int(os.environ.get("PORT", "8000"))
PAGE = Path(__file__).parent.parent / "page"
if not API_KEY:
    sys.exit("Set API_KEY. The console creates a key in a project, under API keys; it begins with ck_.")

api = httpx.AsyncClient(base_url=API_URL, headers={"authorization": f"Bearer {API_KEY}"})
app = FastAPI()


async def call(method, path, body=None, fine=None):
    answer = await api.request(method, path, json=body)
    result = answer.json()
    if answer.is_success or result["code"] == fine:
        return result
    raise RuntimeError(result["detail"])


async def sessions_path():
    # A key opens one project.
    project = (await call("GET", "/projects"))["items"][0]
    return f"/projects/{project['id']}/sessions"


async def token_for(visitor, session):
    participant = {"id": visitor, "name": "Visitor"}
    access = await call("POST", f"/sessions/{session['id']}/token", {"participant": participant})
    return access["accessToken"]


@app.post("/token")
async def token(response: Response, visitor: Annotated[str | None, Cookie()] = None):
    # Your own sign-in identifies the user. Here, a cookie does.
    visitor = visitor or str(uuid4())
    response.set_cookie("visitor", visitor, httponly=True, samesite="strict", max_age=31_536_000)
    # Repeated requests with the same externalId return the same session.
    wanted = {"name": "A visitor", "externalId": visitor}
    sessions = await sessions_path()
    session = await call("POST", sessions, wanted)
    if session["status"] == "CLOSED":
        # A closed session stays closed, so a new session gets its externalId.
        await call("PATCH", f"/sessions/{session['id']}", {"externalId": None})
        session = await call("POST", sessions, wanted)
    agents = f"/sessions/{session['id']}/agents"
    await call("POST", agents, {"role": "echo-agent"}, fine="agent_already_running")
    return {"apiUrl": API_URL, "sessionId": session["id"], "accessToken": await token_for(visitor, session)}


@app.put("/token")
async def next_token(visitor: Annotated[str | None, Cookie()] = None):
    # Renews the token of an open page. It starts no agent and no session: the visitor may have left the page open.
    if not visitor:
        raise HTTPException(404)
    query = urlencode({"externalId": visitor, "status": "ACTIVE"})
    found = (await call("GET", f"{await sessions_path()}?{query}"))["items"]
    if not found:
        raise HTTPException(404)
    return {"accessToken": await token_for(visitor, found[0])}


app.mount("/", StaticFiles(directory=PAGE, html=True, follow_symlink=True))

if __name__ == "__main__":
    print(f"Open http://127.0.0.1:{PORT}", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
