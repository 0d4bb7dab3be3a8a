"""The texts of declined answers and of the widget, in the most common languages of help centers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of an answer without an article, and the texts of the widget, in one language."""

    no_answer: str
    nearest: str
    person: str
    greeting: str
    placeholder: str
    send: str
    ask_person: str
    sources: str
    welcome: str
    purpose: str


TEXTS = {
    "en": Texts(
        "I found no answer to this in the help articles.",
        "These are the closest.",
        "If you like, ask to talk to a person.",
        "What would you like to know?",
        "Your question",
        "Send",
        "Ask for a person",
        "Sources",
        "You are welcome.",
        "I only answer questions from the help articles.",
    ),
    "de": Texts(
        "Dazu habe ich in den Hilfeartikeln keine Antwort gefunden.",
        "Diese kommen der Frage am nächsten.",
        "Auf Wunsch hilft ein Mensch weiter.",
        "Was möchten Sie wissen?",
        "Ihre Frage",
        "Senden",
        "Mit einem Menschen sprechen",
        "Quellen",
        "Gern geschehen.",
        "Ich beantworte Fragen aus den Hilfeartikeln, sonst nichts.",
    ),
    "fr": Texts(
        "Je n'ai pas trouvé de réponse à cette question dans les articles d'aide.",
        "Voici les plus proches.",
        "Si vous le souhaitez, demandez à parler à une personne.",
        "Que souhaitez-vous savoir ?",
        "Votre question",
        "Envoyer",
        "Parler à une personne",
        "Sources",
        "Je vous en prie.",
        "Je réponds aux questions à partir des articles d'aide, et à rien d'autre.",
    ),
    "es": Texts(
        "No he encontrado una respuesta a esta pregunta en los artículos de ayuda.",
        "Estos son los más cercanos.",
        "Si lo desea, puede hablar con una persona.",
        "¿Qué desea saber?",
        "Su pregunta",
        "Enviar",
        "Hablar con una persona",
        "Fuentes",
        "De nada.",
        "Respondo a preguntas con los artículos de ayuda y a nada más.",
    ),
    "pt": Texts(
        "Não encontrei uma resposta a esta pergunta nos artigos de ajuda.",
        "Estes são os mais próximos.",
        "Se preferir, peça para falar com uma pessoa.",
        "O que gostaria de saber?",
        "Sua pergunta",
        "Enviar",
        "Falar com uma pessoa",
        "Fontes",
        "De nada.",
        "Respondo a perguntas com os artigos de ajuda e a nada mais.",
    ),
    "it": Texts(
        "Non ho trovato una risposta a questa domanda negli articoli della guida.",
        "Questi sono i più vicini.",
        "Se vuole, può chiedere di parlare con una persona.",
        "Che cosa desidera sapere?",
        "La sua domanda",
        "Invia",
        "Parla con una persona",
        "Fonti",
        "Prego.",
        "Rispondo alle domande con gli articoli della guida e a nient'altro.",
    ),
    "nl": Texts(
        "Ik heb hierop geen antwoord gevonden in de helpartikelen.",
        "Deze komen het dichtst in de buurt.",
        "Vraag zo nodig om een medewerker.",
        "Wat wilt u weten?",
        "Uw vraag",
        "Versturen",
        "Een medewerker spreken",
        "Bronnen",
        "Graag gedaan.",
        "Ik beantwoord vragen uit de helpartikelen en verder niets.",
    ),
    "ja": Texts(
        "ヘルプ記事の中にこの質問への答えは見つかりませんでした。",
        "近い内容の記事は次のとおりです。",
        "必要な場合は担当者にお問い合わせください。",
        "何をお探しですか?",
        "質問を入力",
        "送信",
        "担当者に問い合わせる",
        "出典",
        "どういたしまして。",
        "ヘルプ記事に基づく質問にのみお答えします。",
    ),
    "ar": Texts(
        "لم أجد إجابة عن هذا السؤال في مقالات المساعدة.",
        "هذه أقرب المقالات إليه.",
        "يمكنك أن تطلب التحدث إلى شخص.",
        "ماذا تريد أن تعرف؟",
        "سؤالك",
        "إرسال",
        "التحدث إلى شخص",
        "المصادر",
        "على الرحب والسعة.",
        "أجيب عن الأسئلة من مقالات المساعدة فقط.",
    ),
    "zh": Texts(
        "我在帮助文章中没有找到这个问题的答案。",
        "以下是最接近的文章。",
        "如有需要,可以联系人工客服。",
        "您想了解什么?",
        "您的问题",
        "发送",
        "联系人工客服",
        "来源",
        "不客气。",
        "我只根据帮助文章回答问题。",
    ),
}


def texts_for(locale: str) -> Texts:
    """The texts in the language of a locale, or in English if it is not among these."""
    return TEXTS.get(locale.split("-")[0], TEXTS["en"])
